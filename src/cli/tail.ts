import { note } from "./standard-streams.ts";
import { command } from "./command.ts";
import { localUrl, targetFlag, toggle, worldFlag } from "./flags.ts";
import type { LoggedRequest, TimelineLine } from "../simulator/api/generated/shapes.ts";
import { CommandFailure } from "../base/failures.ts";
import type { Wall } from "../base/wall.ts";
import type { EventEmitter } from "node:events";
import { styleText } from "node:util";
import { type ControlClient, controlClient, streamEvents } from "../server/control/client.js";
import { REOPEN_MS, reopenedStream } from "./reopened-stream.ts";
import { visible } from "../base/visible-text.ts";
import { secretVariable } from "../server/settings/secret-variable.ts";

const flags = {
  target: targetFlag,
  world: worldFlag,
  json: toggle("Print a JSON object per line", { default: false }),
};

/** The interval between two requests for the calls. */
const POLL_MS = 250;

/** The time that a line of the stream may be on its way. */
const STREAM_MS = 30;

/** Calls that are asked for at a time. */
const REQUESTS_MAX = 100;

type Item =
  | { readonly type: "call"; readonly call: LoggedRequest }
  | { readonly type: "happened"; readonly line: TimelineLine }
  | { readonly type: "begun" };

/**
 * `sandbank tail`: prints the events of a world until it is interrupted: calls from the request log, changes and
 * webhooks from the stream of the timeline. Both only read. If the world moves to another of several servers, it
 * continues there. Throws if the world does not exist, or once no server answers.
 */
export const tailCommand = command(flags, async (flags, wall) => {
  const adminToken = secretVariable("SANDBANK_ADMIN_TOKEN");
  const client = controlClient({ url: flags.target ?? localUrl(), adminToken, world: flags.world });
  const { url: base } = client;
  // Without a reader there is nothing to follow for.
  using unread = aborted(process.stdout, "error");
  const openStream = (place?: string): Promise<Response> =>
    client.open(
      "GET /sandbox/timeline/stream",
      {},
      { signal: unread.signal, ...(place !== undefined && { headers: { "last-event-id": place } }) },
    );
  const stream = await openStream();
  const calls = new Calls(client);
  await calls.arrived();
  note(`Following ${flags.world ?? "the default world"} at ${base}. Ctrl-C ends it.\n`);
  const arrived: Item[] = [];
  const ended = readStreams(stream, { take: (item) => arrived.push(item), openStream, wall }).then(
    () => true,
  );
  const isColoured = process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "";
  const print = flags.json ? jsonLine : (item: Item): string => textLine(item, isColoured);
  let held: Item[] = [];
  let heldCalls: LoggedRequest[] = [];
  for (let isOver = false; !isOver;) {
    isOver = await Promise.race([wall.pause(POLL_MS).then(() => false), ended]);
    const poll = async (): Promise<LoggedRequest[]> => (isOver ? [] : calls.arrived().catch(() => []));
    const answered = [...heldCalls, ...(await poll())];
    // The changes of these calls were sent before their answers.
    await wall.pause(isOver ? 0 : STREAM_MS);
    const items = [...held, ...arrived.splice(0)];
    // A call before one of these changes is in the log by now. Calls after all of them wait for their changes.
    const last = Math.max(-1, ...items.map((item) => (item.type === "happened" ? item.line.entry : -1)));
    const late = await poll();
    answered.push(...late.filter((call) => placeOf(call) <= last + 1));
    heldCalls = late.filter((call) => placeOf(call) > last + 1);
    // A change whose call is not answered yet waits for it, for one turn.
    const early = isOver
      ? -1
      : items.findIndex((item, index) => index >= held.length && calls.isAwaitedBy(item));
    held = early < 0 ? [] : items.splice(early);
    for (const item of inOrder(items, answered)) process.stdout.write(`${print(item)}\n`);
  }
  if (unread.signal.aborted) return;
  throw new CommandFailure(
    `Failed to follow ${base}: the connection ended. The world was dropped, or the server stopped.`,
  );
});

/** Returns a signal that aborts at the first event of this name. */
function aborted(stream: EventEmitter, name: string): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  stream.once(name, abort);
  return { signal: controller.signal, [Symbol.dispose]: () => void stream.off(name, abort) };
}

/** The calls that were answered since the last time. */
class Calls {
  readonly #client: ControlClient;
  #seen: ReadonlySet<string> = new Set();
  #entries: ReadonlySet<number | null> = new Set();

  constructor(client: ControlClient) {
    this.#client = client;
  }

  async arrived(): Promise<LoggedRequest[]> {
    const { data } = await this.#client.ask("GET /sandbox/requests", { limit: REQUESTS_MAX });
    // A client may send an id again; one without a duration is not answered yet.
    const answered = data.filter(({ durationMs }) => durationMs !== null);
    const isNew = (call: LoggedRequest): boolean => !this.#seen.has(keyOf(call));
    const found = answered.filter(isNew);
    this.#seen = new Set(answered.map(keyOf));
    this.#entries = new Set(answered.map(({ entry }) => entry));
    return found;
  }

  /** Returns true if the item is the change of a call that was not answered the last time. */
  isAwaitedBy(item: Item): boolean {
    return (
      item.type === "happened" && item.line.cause.startsWith("call ") && !this.#entries.has(item.line.entry)
    );
  }
}

function keyOf({ id, at, path, durationMs }: LoggedRequest): string {
  return `${id} ${at} ${path} ${durationMs}`;
}

/** Returns the number of the first entry that is not before a call. */
function placeOf({ entry, after }: LoggedRequest): number {
  return entry ?? (after ?? -1) + 1;
}

/** Puts each call before its changes. A call without changes has a place among the entries too. */
function inOrder(items: readonly Item[], calls: readonly LoggedRequest[]): Item[] {
  const ordered: Item[] = [];
  const waiting = [...items];
  for (const call of calls) {
    while (isBefore(waiting[0], placeOf(call))) ordered.push(...waiting.splice(0, 1));
    ordered.push({ type: "call", call });
    while (call.entry !== null && isBefore(waiting[0], call.entry + 1)) ordered.push(...waiting.splice(0, 1));
  }
  return [...ordered, ...waiting];
}

function isBefore(item: Item | undefined, entry: number): boolean {
  return item !== undefined && (item.type !== "happened" || item.line.entry < entry);
}

interface Reading {
  readonly take: (item: Item) => void;
  /** Opens the stream again after a place. */
  readonly openStream: (place: string) => Promise<Response>;
  readonly wall: Wall;
}

/** Reads a stream, and each stream that continues it, until it cannot be opened again. */
async function readStreams(first: Response, { take, openStream, wall }: Reading): Promise<void> {
  let place: string | undefined;
  for (let stream: Response | undefined = first; stream !== undefined;) {
    const since = place;
    try {
      for await (const { type, id, data } of streamEvents(stream.body)) {
        if (type === "begun") take({ type });
        else if (type === "happened" && data !== undefined)
          take({ type: "happened", line: JSON.parse(data) as TimelineLine });
        place = id ?? place;
      }
    } catch {
      // A connection that breaks ends a stream too.
    }
    const after = place;
    stream = after === undefined ? undefined : await reopenedStream(() => openStream(after), wall);
    // Treats a stream as broken if it keeps ending before the first event.
    if (place === since) await wall.pause(REOPEN_MS);
  }
}

function jsonLine(item: Item): string {
  switch (item.type) {
    case "call":
      return JSON.stringify({ type: item.type, ...item.call });
    case "happened":
      return JSON.stringify({ type: item.type, ...item.line });
    case "begun":
      return JSON.stringify(item);
  }
}

function textLine(item: Item, isColoured: boolean): string {
  const paint = (format: Parameters<typeof styleText>[0], text: string): string =>
    isColoured ? styleText(format, text, { validateStream: false }) : text;
  if (item.type === "begun") return paint("bold", "The world was reset or restored.");
  if (item.type === "happened") {
    const { at, kind, what, objectId, cause } = item.line;
    const isWebhook = kind === "event" || kind === "attempt";
    const about = objectId === null ? "" : `  ${objectId}`;
    return `${visible(at)}  ${paint("dim", isWebhook ? "webhook" : "change ")}  ${visible(what)}${paint("dim", visible(`${about}  (${cause})`))}`;
  }
  const { at, method, path, status, operationId, company, durationMs, injected } = item.call;
  const shown = status === null ? "dropped" : String(status);
  const isRefused = status === null || status >= 400;
  const details = [
    operationId ?? "no such operation",
    company ?? "no company",
    `${durationMs} ms`,
    ...(injected.length === 0 ? [] : [`injected: ${injected.join(", ")}`]),
  ];
  const head = `${visible(`${method} ${path}`)} ${paint(isRefused ? "red" : "green", shown)}`;
  return `${visible(at)}  ${paint("cyan", "call   ")}  ${head}${paint("dim", visible(`  ${details.join(", ")}`))}`;
}
