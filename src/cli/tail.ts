import type { Argv } from "yargs";
import { type FlagsOf, command } from "./command.ts";
import { httpUrl, localUrl } from "./flags.ts";
import type { LoggedRequest } from "../api/generated/shapes.ts";
import type { TimelineLine } from "../worlds/timeline.ts";
import { CommandFailure, FileMistakes } from "../library/failures.ts";
import { sentenceOf } from "../library/world-client.ts";
import { setTimeout as pause } from "node:timers/promises";
import { styleText } from "node:util";
import { variableOf } from "../library/settings.ts";
import { WORLD_HEADER } from "../server/request.ts";

const flags = (yargs: Argv) =>
  yargs
    .option("target", {
      type: "string",
      describe:
        "URL of the sandbox [default: this machine, port SANDBANK_PORT or 4010] (admin token in SANDBANK_ADMIN_TOKEN)",
      coerce: httpUrl("--target"),
    })
    .option("world", { type: "string", describe: "Id of the world", defaultDescription: "default" })
    .option("json", { type: "boolean", default: false, describe: "Print a JSON object per line" });

type TailFlags = FlagsOf<typeof flags>;

/** `sandbank tail`: what happens in a running sandbox, as it happens. */
export const tailCommand = command(flags, tailWorld);

const STREAM_PATH = "/sandbox/timeline/stream";

/** How often the calls are asked for. */
const POLL_MS = 250;

/** How long a line of the stream may be on its way. */
const STREAM_MS = 30;

/** Calls that are asked for at a time. */
const REQUESTS_MAX = 100;

/** How long a stream that has ended is opened again: its world may be on its way to another server. */
const REOPEN_MS = 500;
const REOPEN_MAX_MS = 60_000;

/** Something to print. */
type Item =
  | { readonly type: "call"; readonly call: LoggedRequest }
  | { readonly type: "happened"; readonly line: TimelineLine }
  | { readonly type: "begun" };

/**
 * Prints what happens in a world until it is interrupted: calls from the request log, changes and webhooks from the
 * stream of the timeline. Neither changes anything in the world. Where the world goes to another of several servers, it
 * goes on there. Throws where there is no such world, and when nothing answers any more.
 */
async function tailWorld(flags: TailFlags): Promise<void> {
  const base = (flags.target ?? localUrl()).replace(/\/+$/, "");
  const adminToken = process.env[variableOf("admin-token")];
  const headers: Record<string, string> = {
    ...(flags.world !== undefined && { [WORLD_HEADER]: flags.world }),
    ...(adminToken && { "x-admin-token": adminToken }),
  };
  const ask = (path: string): Promise<Response> => open(base, path, headers);
  const stream = await ask(STREAM_PATH);
  const calls = new Calls(ask);
  await calls.arrived();
  process.stderr.write(`Following ${flags.world ?? "the default world"} at ${base}. Ctrl-C ends it.\n`);
  const arrived: Item[] = [];
  const reopen = (place: string): Promise<Response | undefined> =>
    reopened(`${base}${STREAM_PATH}`, { ...headers, "last-event-id": place });
  const ended = readStreams(stream, { take: (item) => arrived.push(item), reopen }).then(() => true);
  const isColoured = process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "";
  const print = flags.json ? jsonLine : (item: Item): string => textLine(item, isColoured);
  let held: Item[] = [];
  for (let isOver = false; !isOver;) {
    isOver = await Promise.race([pause(POLL_MS, false), ended]);
    const answered = isOver ? [] : await calls.arrived().catch(() => []);
    // The changes of these calls were sent before their answers.
    await pause(isOver ? 0 : STREAM_MS);
    const items = [...held, ...arrived.splice(0)];
    // A change whose call is not answered yet waits for it, for one turn.
    const early = isOver
      ? -1
      : items.findIndex((item, index) => index >= held.length && calls.isAwaitedBy(item));
    held = early < 0 ? [] : items.splice(early);
    for (const item of inOrder(items, answered)) process.stdout.write(`${print(item)}\n`);
  }
  throw new CommandFailure(
    `Failed to follow ${base}: the connection ended. The world was dropped, or the server stopped.`,
  );
}

async function open(
  base: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const response = await fetch(base + path, { headers }).catch(() => {
    throw new FileMistakes(
      `Failed to follow ${base}: nothing answers there. Start it with sandbank serve, or pass its URL with --target.`,
    );
  });
  if (response.ok) return response;
  const answer: unknown = await response.json().catch(() => undefined);
  const found =
    answer === undefined ? `it answered ${response.status}, which no sandbank does` : sentenceOf(answer);
  throw new FileMistakes(`Failed to follow ${base}: ${found}`);
}

/** The calls that were answered since the last time. */
class Calls {
  readonly #ask: (path: string) => Promise<Response>;
  #seen: ReadonlySet<string> = new Set();
  #entries: ReadonlySet<number | null> = new Set();

  constructor(ask: (path: string) => Promise<Response>) {
    this.#ask = ask;
  }

  async arrived(): Promise<LoggedRequest[]> {
    const response = await this.#ask(`/sandbox/requests?limit=${REQUESTS_MAX}`);
    const { data } = (await response.json()) as { readonly data: readonly LoggedRequest[] };
    // A client may send an id again; one without a duration is not answered yet.
    const answered = data.filter(({ durationMs }) => durationMs !== null);
    const isNew = (call: LoggedRequest): boolean => !this.#seen.has(keyOf(call));
    const found = answered.filter(isNew);
    this.#seen = new Set(answered.map(keyOf));
    this.#entries = new Set(answered.map(({ entry }) => entry));
    return found;
  }

  /** Whether the item is what a call has changed that was not answered the last time. */
  isAwaitedBy(item: Item): boolean {
    return (
      item.type === "happened" && item.line.cause.startsWith("call ") && !this.#entries.has(item.line.entry)
    );
  }
}

function keyOf({ id, at, path, durationMs }: LoggedRequest): string {
  return `${id} ${at} ${path} ${durationMs}`;
}

/** A call comes before what it changed; one that changed nothing stays after the call before it. */
function inOrder(items: readonly Item[], calls: readonly LoggedRequest[]): Item[] {
  const ordered: Item[] = [];
  const waiting = [...items];
  for (const call of calls) {
    while (call.entry !== null && isBefore(waiting[0], call.entry)) ordered.push(...waiting.splice(0, 1));
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
  /** Opens the stream again after a place; undefined where it cannot be. */
  readonly reopen: (place: string) => Promise<Response | undefined>;
}

/** Reads a stream, and what continues it, until there is none. */
async function readStreams(first: Response, { take, reopen }: Reading): Promise<void> {
  let place: string | undefined;
  for (let stream: Response | undefined = first; stream !== undefined;) {
    const since = place;
    // A connection that breaks ends a stream too.
    await readStream(stream, take, (id) => (place = id)).catch(() => undefined);
    stream = place === undefined ? undefined : await reopen(place);
    // A stream that ends each time before anything comes is none.
    if (place === since) await pause(REOPEN_MS);
  }
}

async function reopened(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response | undefined> {
  for (const until = performance.now() + REOPEN_MAX_MS; performance.now() < until; await pause(REOPEN_MS)) {
    const response = await fetch(url, { headers }).catch(() => undefined);
    if (response === undefined || response.ok) return response;
    await response.body?.cancel();
    // A balancer in front of several servers may not have noticed yet that one is gone.
    if (response.status < 500) return undefined;
  }
  return undefined;
}

/** Reads server-sent events until the stream ends. */
async function readStream(
  { body }: Response,
  take: (item: Item) => void,
  reached: (place: string) => void,
): Promise<void> {
  if (body === null) return;
  let text = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      const id = /^id: (.*)$/m.exec(block)?.[1];
      if (/^event: begun$/m.test(block)) take({ type: "begun" });
      else if (data !== undefined) take({ type: "happened", line: JSON.parse(data) as TimelineLine });
      if (id !== undefined) reached(id);
    }
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
    return `${at}  ${paint("dim", isWebhook ? "webhook" : "change ")}  ${oneLine(what)}${paint("dim", `${about}  (${cause})`)}`;
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
  const head = `${method} ${oneLine(path)} ${paint(isRefused ? "red" : "green", shown)}`;
  return `${at}  ${paint("cyan", "call   ")}  ${head}${paint("dim", `  ${details.join(", ")}`)}`;
}

/** Control characters could change the terminal. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, " ");
}
