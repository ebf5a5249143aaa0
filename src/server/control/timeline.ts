import { type Endpoint, type Reply, type WorldAsked, refuse, refuseUnknown } from "./endpoint.ts";
import { type StreamState, eventStream } from "./event-stream.ts";
import type { Journal, JournalEntry } from "../../simulator/engine/journal.ts";
import type { StreamQuery, TimelineLine } from "../../simulator/api/generated/shapes.ts";
import type { Simulation } from "../../simulator/engine/simulation.ts";
import { collections } from "../../simulator/platform/catalog.ts";
import { LongWork } from "../../base/long-work.ts";
import { PAGE_DEFAULT, searchFor } from "./list-page.ts";
import { causesOf, journalDigestInTurns, timelineLines } from "../../simulator/worlds/timeline.ts";

/** Streams that are open at a time, of one world and of all. */
export const STREAMS = {
  perWorld: 64,
  shared: 256,
  reserved: 1,
  refusal: "64 streams of one world, or 256 of all, are open, which is the limit. Close one first.",
};

/** Lines that are sent before the client has to take them. */
const BATCH_LINES = 500;

/** The timeline of a world. */
export const timelineEndpoints = {
  showTimeline: {
    method: "GET",
    path: "/sandbox/timeline",
    tag: "History",
    summary: "Show the timeline, oldest first",
    description:
      "The answer has the newest 1,000 lines, unless `last` asks for another number. `about` selects one object or delivery and its chain of causes. `since` and `until` select the journal entries from one number to another, both included. `q` searches. All lines of an entry are on one page. `older` is the value of `until` for the previous page. `next` is the number of the next entry: use it as `since` to read only new lines. On a frozen clock, `since` also gives attempt results of webhooks that you have already read without a final number.",
    query: "TimelineQuery",
    response: "Timeline",
    errors: ["NOT_FOUND"],
    showsOutcomes: true,
    answer: async ({ world, query: { about, since = 1, until = Infinity, q = "", last = PAGE_DEFAULT } }) => {
      const shown = world.shown();
      const { journal } = shown;
      // Lines that a read shows from this entry on are not part of the world yet.
      const next = world.journal.nextNumber;
      if (about === undefined) {
        const entries = journal.since(since);
        const count = Math.max(0, until - (entries[0]?.number ?? 1) + 1);
        const wanted = entries.slice(0, count);
        return { ...(await newestLines(wanted, journal, { q, last })), next };
      }
      const lines = await causesOf(shown, about);
      if (lines.length === 0 && !isKnown(shown, about))
        refuseUnknown(
          `Nothing has the id "${about.slice(0, 100)}". GET /sandbox/resources and GET /sandbox/deliveries list what there is.`,
        );
      const isMatch = searchFor(q);
      const found = lines.filter((line) => line.entry >= since && line.entry <= until && isMatch(line));
      let first = Math.max(0, found.length - last);
      while (first > 0 && found[first - 1]?.entry === found[first]?.entry) first--;
      const older = found[first - 1]?.entry;
      return { data: found.slice(first), older, next };
    },
  } satisfies Endpoint<never, "TimelineQuery">,
  streamTimeline: {
    method: "GET",
    path: "/sandbox/timeline/stream",
    tag: "History",
    summary: "Stream the timeline as server-sent events",
    description:
      "Sends each line when it is written. `Last-Event-ID` or `since` continues a stream. The event `begun` reports a reset or a restore. On a frozen clock the event `answered` reports the answer to a webhook; its line follows with the next advance.",
    query: "StreamQuery",
    response: "EventStream",
    gives: "text/event-stream",
    limit: STREAMS,
    answer: (asked) => streamOf(asked, positionOf(asked)),
  } satisfies Endpoint<never, "StreamQuery">,
  showDigest: {
    method: "GET",
    path: "/sandbox/digest",
    tag: "History",
    summary: "Show the digest of the journal",
    description: "The SHA-256 of the journal: the same seed and the same inputs give the same digest.",
    query: "WaitQuery",
    response: "Digest",
    showsOutcomes: true,
    answer: async ({ world }) => ({
      digest: await journalDigestInTurns(world.shown().journal.since(1)),
    }),
  } satisfies Endpoint<never, "WaitQuery">,
};

/**
 * Returns the newest `last` lines that contain each word of `q`, oldest first. No entry is cut: a page may have some
 * lines more.
 */
async function newestLines(
  entries: readonly JournalEntry[],
  journal: Pick<Journal, "entry" | "isTraced">,
  { q, last }: { readonly q: string; readonly last: number },
): Promise<{ readonly data: readonly TimelineLine[]; readonly older?: number }> {
  const work = new LongWork();
  const isMatch = q === "" ? () => true : searchFor(q);
  const found: TimelineLine[] = [];
  for (let place = entries.length - 1; place >= 0; place--) {
    const entry = entries[place]!;
    if (found.length >= last) return { data: found.reverse(), older: entry.number };
    found.push(...[...timelineLines([entry], journal)].filter(isMatch).reverse());
    if (work.isDue) await work.nextTurn();
  }
  return { data: found.reverse() };
}

/** A position in the timeline: a journal entry and the last line of it that was sent. */
interface Position {
  readonly entry: number;
  readonly line: number;
}

/** Returns true if an object has this id, although no line is about it. */
function isKnown({ records }: Simulation, id: string): boolean {
  return [...collections.values()].some((objects) => objects.has(records, id));
}

/** Returns the start of a stream: after `Last-Event-ID`, at the entry `since`, or by default with the next entry. */
function positionOf({ headers, query, world }: WorldAsked<object, StreamQuery>): Position {
  const lastEventId = headers.get("last-event-id");
  const text = lastEventId ?? query.since;
  if (text === undefined) return { entry: world.journal.nextNumber - 1, line: Infinity };
  const [, entry, line] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  if (entry === undefined) {
    const found = JSON.stringify(text);
    refuse(
      "Last-Event-ID",
      `The place to continue from must be an entry such as 12 or 12.1; found ${found}.`,
    );
  }
  if (line !== undefined) return { entry: Number(entry), line: Number(line) };
  return { entry: Number(entry), line: lastEventId === null ? 0 : Infinity };
}

function idOf({ entry, line }: Position): string {
  return line === Infinity ? String(entry) : `${entry}.${line}`;
}

/**
 * Streams the timeline as it happens. The event `begun` reports that the world was reset or restored. The event
 * `answered` reports that a webhook was answered, and that its line follows later.
 */
function streamOf(asked: WorldAsked, after: Position): Reply {
  const { world } = asked;
  // A position that the world has not reached yet belongs to its history before a reset.
  let hasBegun = after.entry >= world.journal.nextNumber;
  let isAnswered = false;

  async function* events(state: StreamState): AsyncGenerator<string> {
    let position = after;
    const work = new LongWork();
    // A client that opens the stream again after its end misses no line, even if no line had come yet.
    yield `retry: 1000\n${hasBegun ? "" : `id: ${idOf(position)}\n`}\n`;
    while (!state.isOver) {
      if (hasBegun) {
        hasBegun = false;
        position = { entry: 0, line: 0 };
        yield "event: begun\ndata: {}\n\n";
      }
      // Many streams may begin with the same long journal.
      if (world.journal.nextNumber - 1 > position.entry) await work.nextTurn();
      const batch = batchAfter(world.journal, position);
      ({ position } = batch);
      if (batch.text !== "") yield batch.text;
      else if (isAnswered) {
        isAnswered = false;
        yield "event: answered\ndata: {}\n\n";
      } else if (!hasBegun && !(await state.news())) yield ": still here\n\n";
    }
  }
  const listen = (wake: () => void) =>
    world.watch((event) => {
      if (event === "begun" || event === "restored") hasBegun = true;
      else if (event === "answered") isAnswered = true;
      else if (event !== "committed") return;
      wake();
    });
  return eventStream(asked, listen, events);
}

/**
 * Returns the next lines after a position as server-sent events, and the position of the last of them. It takes whole entries, and reads no entry twice, however long the journal is.
 */
export function batchAfter(
  journal: Pick<Journal, "entry" | "isTraced" | "nextNumber" | "since">,
  after: Position,
): { readonly text: string; readonly position: Position } {
  const events: string[] = [];
  let number = Math.max(1, after.entry);
  // The oldest entries may have been dropped.
  if (number < journal.nextNumber && journal.entry(number) === undefined)
    number = journal.since(number)[0]?.number ?? number;
  for (; events.length < BATCH_LINES; number++) {
    const entry = journal.entry(number);
    if (entry === undefined) break;
    for (const [index, line] of Array.from(timelineLines([entry], journal)).entries()) {
      if (number > after.entry || index + 1 > after.line)
        events.push(`id: ${number}.${index + 1}\nevent: happened\ndata: ${JSON.stringify(line)}\n\n`);
    }
  }
  return {
    text: events.join(""),
    position: number > after.entry ? { entry: number - 1, line: Infinity } : after,
  };
}
