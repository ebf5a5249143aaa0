import type { Context } from "hono";
import type { TimelineLine } from "../../worlds/timeline.ts";
import type { World } from "../../worlds/world.ts";
import type { Worlds } from "../../worlds/worlds.ts";
import { bearerToken, callerOf } from "../caller.ts";
import { timelineLines } from "../../worlds/timeline.ts";
import { commonHeaders } from "../answer.ts";
import { invalidRequest, unauthorized } from "../../platform/refusals.ts";
import { refusalAnswer } from "../refusal-answer.ts";

/** Streams that a server keeps open at a time. */
const STREAMS_MAX = 256;

/** How often a stream that is silent says that it is still there. */
const HEARTBEAT_MS = 15_000;

/** Lines that go out before whoever listens has to take them. */
const BATCH_LINES = 500;

/** Where a stream stands: the entry and the line of it that went out last. */
interface Place {
  readonly entry: number;
  readonly line: number;
}

/**
 * `GET /sandbox/timeline/stream`: what happens, as it happens, as server-sent events. It begins with the next
 * thing, after `Last-Event-ID` (or `since`, an entry) where one is given, and tells with the event `begun` that
 * the world was reset or restored.
 */
export function streamTimeline(worlds: Worlds) {
  let open = 0;
  return function answerStream(c: Context): Response {
    const caller = callerOf(worlds, c.req.raw);
    if (caller === undefined && bearerToken(c.req.raw) !== undefined)
      return refusalAnswer(worlds.default, unauthorized());
    const world = caller?.world ?? worlds.default;
    const asked = c.req.header("last-event-id") ?? c.req.query("since");
    const after =
      asked === undefined ? endOf(world) : placeOf(asked, c.req.header("last-event-id") !== undefined);
    const refusal =
      after === undefined
        ? `The place to go on from is an entry such as 12 or 12.1; found ${JSON.stringify(asked)}.`
        : open >= STREAMS_MAX
          ? `A server keeps ${STREAMS_MAX} streams open. Close one first.`
          : undefined;
    if (after === undefined || refusal !== undefined) {
      const problem = { field: "Last-Event-ID", issue: "INVALID", description: refusal ?? "" };
      return refusalAnswer(world, invalidRequest([problem]));
    }
    open++;
    const stream = tail(world, { after, closing: worlds.closing.signal, closed: () => open-- });
    const headers = {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      ...commonHeaders(world),
      "x-accel-buffering": "no",
    };
    return new Response(stream, { headers });
  };
}

interface Tail {
  readonly after: Place;
  readonly closing: AbortSignal;
  readonly closed: () => void;
}

function tail(world: World, { after, closing, closed }: Tail): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let place = after;
  let stop = (): void => {};
  return new ReadableStream({
    start(controller) {
      const say = (text: string): void => controller.enqueue(encoder.encode(text));
      let isScheduled = false;
      const flush = (): void => {
        isScheduled = false;
        if ((controller.desiredSize ?? 0) <= 0) return;
        const lines = linesAfter(world, place).slice(0, BATCH_LINES);
        if (lines.length > 0) say(lines.map(eventText).join(""));
        place = lines.at(-1)?.place ?? place;
        if (lines.length === BATCH_LINES) schedule();
      };
      const schedule = (): void => {
        if (isScheduled) return;
        isScheduled = true;
        setImmediate(() => isScheduled && flush());
      };
      const begin = (): void => {
        place = { entry: 0, line: 0 };
        say("event: begun\ndata: {}\n\n");
      };
      const unwatch = world.watch((news) => {
        if (news === "begun") begin();
        schedule();
      });
      const heartbeat = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) say(": still here\n\n");
        schedule();
      }, HEARTBEAT_MS);
      heartbeat.unref();
      const end = (): void => {
        stop();
        controller.close();
      };
      stop = () => {
        isScheduled = false;
        unwatch();
        live();
        clearInterval(heartbeat);
        closing.removeEventListener("abort", end);
        stop = () => {};
        closed();
      };
      closing.addEventListener("abort", end);
      const live = world.onClose(end);
      say("retry: 1000\n\n");
      // A place that this life never came to is one of a life before.
      if (place.entry >= world.journal.nextNumber) begin();
      schedule();
    },
    cancel() {
      stop();
    },
  });
}

interface PlacedLine {
  readonly place: Place;
  readonly line: TimelineLine;
}

function linesAfter(world: World, after: Place): PlacedLine[] {
  return world.journal.since(Math.max(1, after.entry)).flatMap((entry) =>
    timelineLines([entry])
      .map((line, index) => ({ place: { entry: entry.number, line: index + 1 }, line }))
      .filter(({ place }) => place.entry > after.entry || place.line > after.line),
  );
}

function eventText({ place, line }: PlacedLine): string {
  return `id: ${place.entry}.${place.line}\nevent: happened\ndata: ${JSON.stringify(line)}\n\n`;
}

function endOf(world: World): Place {
  return { entry: world.journal.nextNumber - 1, line: Infinity };
}

/** The last event's id goes on behind it, `since` begins with the entry it names. */
function placeOf(text: string, isAfter: boolean): Place | undefined {
  const [, entry, line] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  if (entry === undefined) return undefined;
  if (line !== undefined) return { entry: Number(entry), line: Number(line) };
  return { entry: Number(entry), line: isAfter ? Infinity : 0 };
}
