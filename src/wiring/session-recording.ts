import type { Fixtures } from "../platform/seed.ts";
import type { RecordedAttempt, RecordedItem } from "../worlds/recorder.ts";
import type { RequestRecord } from "../worlds/inbound.ts";
import type { RecordedRequest, SessionAttempt, SessionItem } from "../scenarios/recording/session.ts";
import type { World } from "../worlds/world.ts";
import { journalDigest } from "../worlds/journal-digest.ts";
import { operations } from "../api/operations.ts";
import { reachOf } from "../webhooks/in-process.ts";
import { recordingOf } from "../scenarios/recording/recording.ts";
import { RECORDED_ITEMS_MAX } from "../worlds/recorder.ts";

/** What the recordings of a server have in common. */
interface RecordingOptions {
  readonly fixtures: Fixtures;
  /** The folder they were read from; undefined for those that ship. */
  readonly folder: string | undefined;
  /** Whether the default world began with a scenario, which is told with the rest. */
  readonly hasOpening: boolean;
}

/** The session with a world so far, as a scenario file. */
export async function recordingOfWorld(
  world: World,
  { fixtures, folder, hasOpening }: RecordingOptions,
): Promise<string> {
  // To ask for the time is to let what is due happen, and the answers to its webhooks belong to the story.
  await world.settled();
  if (world.now > 0) await world.settled();
  const { now } = world.simulation;
  const { items, isFull, isWhole } = world.chronicle.mark();
  const { seed, assumptions, webhookUrl } = world.settings;
  const start = world.settings.start ?? now;
  const isDefault = world.credentialSuffix === "";
  const gaps = [
    ...(isWhole ? [] : ["It does not hold what happened before this world was restored or forked."]),
    ...(isFull ? [`It ends early: a recording takes ${RECORDED_ITEMS_MAX} items (recordedItemsMax).`] : []),
  ];
  return recordingOf({
    world: world.name,
    seed,
    start,
    now: isFull ? (items.at(-1)?.at ?? start) : now,
    assumptions,
    fixtures: folder,
    webhookUrl,
    items: items.map(sessionItem),
    companies: new Map(
      fixtures.companies.map(({ id, token }) => [token + world.credentialSuffix, id] as const),
    ),
    operations,
    // Credentials and page addresses carry the name of any other world.
    digest:
      isDefault && isWhole && !isFull && !hasOpening ? journalDigest(world.journal.since(1)) : undefined,
    gaps,
  });
}

function sessionItem(item: RecordedItem): SessionItem {
  switch (item.kind) {
    case "request":
      return { ...item, request: sessionRequest(item.request) };
    case "opened":
      return { ...item, attempts: item.attempts.map(sessionAttempt) };
    case "advanced":
      return { ...item, request: item.request && sessionRequest(item.request) };
    case "answered":
      return item;
  }
}

function sessionRequest({ answer, ...request }: RequestRecord): RecordedRequest {
  return { ...request, answer: answer === undefined ? undefined : (JSON.parse(answer) as unknown) };
}

function sessionAttempt({ name, request, isUnsent }: RecordedAttempt): SessionAttempt {
  return { name, ...(isUnsent ? { reaches: false, waits: false } : reachOf(request)) };
}
