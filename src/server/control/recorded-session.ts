import type { Records } from "../../simulator/engine/store.ts";
import type { AttemptResult } from "../../simulator/webhooks/attempt.ts";
import type { AttemptInput } from "../../simulator/webhooks/exchange.ts";
import type { Fixtures } from "../../simulator/platform/seed.ts";
import type { JournalEntry, JournalNote } from "../../simulator/engine/journal.ts";
import type { RequestHead } from "../../simulator/worlds/masking.ts";
import type { World } from "../../simulator/worlds/world.ts";
import { assertDefined } from "../../simulator/engine/assertion.ts";
import { assumption } from "../../simulator/platform/assumptions/assumptions.ts";
import { deliveries, endedAttempts } from "../../simulator/platform/webhook-events/delivery.ts";
import { journalDigestInTurns } from "../../simulator/worlds/timeline.ts";
import { reachOf } from "../../simulator/webhooks/in-process.ts";
import { type RequestInput, UNKNOWN_PATH, type WorldInput } from "../../simulator/worlds/inbound-request.ts";
import {
  type ChangeableSettings,
  seedChangedAt,
  settingsOf,
} from "../../simulator/platform/world-settings.ts";

/** A request to a world, with its answer. */
export interface RecordedRequest extends Omit<RequestHead, "origin"> {
  /** Undefined for a request that came over no connection. */
  readonly origin?: string;
  readonly text?: string | undefined;
  /** Null if the connection was dropped in place of an answer. */
  readonly status?: number | null | undefined;
  readonly answer?: unknown;
}

/** The answer of a receiver to one attempt, or the reason for its absence. */
export type RecordedAnswer = Omit<AttemptResult, "durationMs">;

export interface SessionAttempt {
  readonly name: string;
  /** The object that it is about. */
  readonly objectId: string;
  /** Whether the receiver gets to see it, and so to answer it. */
  readonly reaches: boolean;
  /** Whether a receiver that holds webhooks back also holds this one back, although it may not see it. */
  readonly waits: boolean;
}

/** One input of a world, with the world's time in milliseconds. Inputs are in the order of their handling. */
export type SessionItem =
  | { readonly kind: "request"; readonly at: number; readonly request: RecordedRequest }
  | {
      readonly kind: "opened";
      readonly at: number;
      /** The attempts that go out together. */
      readonly attempts: readonly SessionAttempt[];
    }
  | { readonly kind: "answered"; readonly at: number; readonly name: string; readonly result: RecordedAnswer }
  | {
      readonly kind: "advanced";
      readonly at: number;
      readonly from: number;
      /** The body of the request for it. */
      readonly asked?: string | undefined;
    };

/** The session with a world so far, as its journal has it. */
export interface RecordedSession {
  readonly world: string;
  readonly seed: number;
  readonly start: number;
  readonly now: number;
  readonly assumptions: Readonly<Record<string, unknown>>;
  readonly webhookUrl: string | null;
  /** They can be read more than once. */
  readonly items: () => Iterable<SessionItem>;
  /** The company of each token that is there from the start; the first one calls unless a step says otherwise. */
  readonly companies: ReadonlyMap<string, string>;
  /** The digest of the journal, if a run of the scenario has the same result. */
  readonly digest: string | undefined;
  /** The parts that the recording leaves out, in a sentence each. */
  readonly gaps: readonly string[];
}

/** Reads the session with a world that began with some fixtures. */
export async function recordedSession(world: World, { companies }: Fixtures): Promise<RecordedSession> {
  // Reading the time fires due timers, and the outcomes of their webhooks belong to the session.
  await world.answered();
  if (world.now > 0) await world.answered();
  const { settings, credentialSuffix } = world;
  const simulation = world.shown();
  const { now, journal, records } = simulation;
  const entries = journal.since(1);
  const gaps = [...gapsIn(journal), ...seedGap({ records, settings }), ...pendingGap(records)];
  return {
    world: world.name,
    seed: settings.seed,
    start: settings.start ?? now,
    now,
    ...foundedWith(entries[0], settings),
    items: sessionItems(simulation, entries),
    companies: new Map(companies.map(({ id, token }) => [token + credentialSuffix, id] as const)),
    digest: gaps.length === 0 ? await journalDigestInTurns(entries) : undefined,
    gaps,
  };
}

/** The settings that its founding wrote: later ones are steps of the recording. */
function foundedWith(
  founding: JournalEntry | undefined,
  { assumptions, webhookUrl }: World["settings"],
): ChangeableSettings {
  if (founding?.number !== 1) return { assumptions, webhookUrl };
  const records = {
    get: ({ name }: { readonly name: string }, key: string) =>
      founding.changes.find(({ collection, id }) => collection === name && id === key)?.after,
  } as Pick<Records, "get">;
  return settingsOf(records);
}

/** Returns the reasons why a run of the recording may have another journal, in a sentence each. */
function gapsIn(journal: World["journal"]): string[] {
  const entries = journal.since(1);
  const first = entries[0]?.number ?? 1;
  const unexplained = entries.filter(
    ({ number, cause }) => number > 1 && isFromOutside(cause) && !cause.input,
  );
  const names = [...new Set(unexplained.map(({ cause }) => `${cause.by} ${cause.name}`))].slice(0, 5);
  const altered = entries.filter(({ cause }) => (cause.input as RequestInput | undefined)?.isAltered);
  return [
    ...(first > 1 ? [`It begins late: the journal keeps no entry before number ${first}.`] : []),
    ...(unexplained.length > 0
      ? [
          `It does not contain ${unexplained.length} commands whose requests this journal does not have: ${names.join(", ")}.`,
        ]
      : []),
    ...(altered.length > 0 ? [`The bodies of ${altered.length} requests are shortened.`] : []),
  ];
}

/** A file has one seed, and a fork continues with another one. */
function seedGap({ records, settings }: Pick<World, "records" | "settings">): string[] {
  const since = seedChangedAt(records);
  if (since === undefined) return [];
  return [
    `The world is a fork: since the entry ${since} of its journal its ids come from the seed ${settings.seed}. A run of this file takes all ids from that seed.`,
  ];
}

/** A webhook that waits for the outcome of an earlier one is not sent because somebody looks. */
function pendingGap(records: Records): string[] {
  const count = Array.from(records.all(deliveries)).filter(({ pending }) => pending.length > 0).length;
  if (count === 0) return [];
  const found = count === 1 ? "1 webhook was" : `${count} webhooks were`;
  return [`${found} not sent yet. Advance the clock by PT0S before the recording.`];
}

function isFromOutside({ by }: JournalEntry["cause"]): boolean {
  return by !== "timer" && by !== "delivery";
}

/** Returns the inputs of a world from outside, in the order of their handling. */
function sessionItems(
  { journal, records }: World["simulation"],
  entries: readonly JournalEntry[],
): RecordedSession["items"] {
  const notes = journal.notesAfter(0).toSorted((one, other) => one.after - other.after);
  return function* itemsInOrder() {
    let taken = 0;
    for (const entry of entries) {
      for (let note = notes[taken]; note !== undefined && note.after < entry.number; note = notes[++taken])
        yield* itemsOfInput(note, records);
      yield* itemsOfInput(entry, records);
      yield* outcomesIn(entry);
    }
    for (const note of notes.slice(taken)) yield* itemsOfInput(note, records);
  };
}

function itemsOfInput({ at, cause }: JournalEntry | JournalNote, records: Records): SessionItem[] {
  const input = cause.input as WorldInput | undefined;
  switch (input?.kind) {
    case "request":
      // A request to an unknown path does not concern this world.
      if (cause.name === UNKNOWN_PATH) return [];
      return [{ kind: "request", at, request: recordedRequest(input) }];
    case "attempt":
      return [{ kind: "opened", at, attempts: attemptsOf(input, records) }];
    case "outcome":
      return [{ kind: "answered", at, name: input.name, result: input.result }];
    case "move":
      return [{ kind: "advanced", at: input.to, from: input.from, asked: input.asked }];
    case "settings":
      return [{ kind: "request", at, request: { ...SETTINGS_CHANGE, text: JSON.stringify(input.changed) } }];
    case "continued":
    case undefined:
      return [];
  }
}

/** The request that changes settings as an opening scenario and a restart do. */
const SETTINGS_CHANGE = { method: "PATCH", path: "/sandbox/settings", headers: {}, status: 200 } as const;

function recordedRequest(input: RequestInput): RecordedRequest {
  const { method, path, origin, headers, text, status, answer, isAnswerCut } = input;
  const isWhole = answer !== undefined && isAnswerCut !== true;
  return {
    method,
    path,
    origin,
    headers,
    text,
    status,
    answer: isWhole ? (JSON.parse(answer) as unknown) : undefined,
  };
}

function attemptsOf({ names, isUnsent, manner }: AttemptInput, records: Records): SessionAttempt[] {
  const egressMode = assumption(records, "webhook.egress");
  return names.map((name) => {
    const [id = ""] = name.split(" ");
    const { url, objectId } = assertDefined(records.get(deliveries, id), `the delivery ${id}`);
    if (isUnsent === true) return { name, objectId, reaches: false, waits: false };
    return { name, objectId, ...reachOf({ url, egressMode, manner }) };
  });
}

function outcomesIn(entry: JournalEntry): SessionItem[] {
  return endedAttempts(entry).map(({ delivery: { id }, attempt }) => ({
    kind: "answered",
    at: entry.at,
    name: `${id} ${attempt.number}`,
    result: attempt,
  }));
}
