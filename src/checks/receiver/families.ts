import { type Bench, isAccepted } from "./bench.ts";
import { type Finding, PASS, type Sent, inconclusive, skipped } from "./finding.ts";
import { OBJECT_KINDS, type ObjectKind, type LifecycleEvents, type WebhookEvent } from "./event-source.ts";
import { IGNORE, NOTHING_SHOWN, ONLY_COUNTERS } from "./state-findings.ts";
import { NothingShown, type Probe, ifShown } from "./probe.ts";
import { assertDefined } from "../../simulator/engine/assertion.ts";
import { parsed, textAt } from "../../simulator/engine/json.ts";

/** The capabilities of an integration with objects of each kind. */
const CAPABILITIES_OF: Readonly<Record<ObjectKind, readonly string[]>> = {
  order: ["orders", "refunds"],
  subscription: ["subscriptions"],
  charge: ["subscriptions", "charges"],
  "canceled charge": ["subscriptions", "charges"],
  payout: ["payouts"],
};

/** A refusal of an event that is not a copy of another. */
export class Refused extends Error {
  readonly sent: Sent;

  constructor(sent: Sent) {
    super("An event was not accepted.");
    this.sent = sent;
  }
}

/** Returns the kinds of objects that the integration uses. */
function familiesInScope(bench: Bench): readonly ObjectKind[] {
  const { capabilities = [] } = bench.options;
  return OBJECT_KINDS.filter(
    (kind) =>
      bench.includes(`${kind}s`) &&
      (capabilities.length === 0 || CAPABILITIES_OF[kind].some((one) => capabilities.includes(one))),
  );
}

/** Runs a check with objects of these kinds at once. */
type RunFor = (kinds: readonly ObjectKind[]) => Promise<Finding>;

/** The kinds of objects that a check tries at once. */
interface Way {
  /** True if the check cannot be made with several kinds at once. */
  readonly isAlone?: boolean;
  /** Returns true for the kinds that the check is about. Without it, the check is about all kinds. */
  readonly isAbout?: (kind: ObjectKind) => boolean;
  /** True if the check has to see objects. It is not decided if the probe shows only counters. */
  readonly seesObjects?: boolean;
}

/**
 * Runs a check for each kind of object, because a receiver may handle some and ignore others. An ignored kind is not
 * decided, and then the whole is not decided either. A kind that skips the check does not count. The first try
 * has all kinds at once. If its result is not right, each kind is tried alone.
 */
export async function byFamily(bench: Bench, run: RunFor, way: Way = {}): Promise<Finding> {
  const lossy = await lossyFinding(bench);
  if (lossy !== undefined) return lossy;
  const scope = familiesInScope(bench);
  const right = await rightTogether(bench, run, scope, way);
  const all: (readonly [ObjectKind, Finding])[] = [];
  const ofKind = async (kind: ObjectKind): Promise<Finding> =>
    (await isCountedOnly(bench, kind, way)) ? ONLY_COUNTERS : ofFamily(run, kind);
  for (const kind of scope) all.push([kind, right.includes(kind) ? PASS : await ofKind(kind)]);
  const found = all.filter(([, { verdict }]) => verdict !== "skipped");
  if (found.length === 0) return all[0]?.[1] ?? skipped("The chosen --capabilities have no webhooks.");
  const families = found.map(([kind, { verdict, code, cause }]) => ({
    family: `${kind}s`,
    verdict,
    ...(code !== undefined && { code }),
    ...(cause !== undefined && verdict !== "pass" && { cause }),
  }));
  return { ...overAll(bench, found, families), families };
}

/** The finding about a receiver that loses some events. Undefined if it loses none, or if its state shows none. */
export async function lossyFinding(bench: Bench): Promise<Finding | undefined> {
  const { lost, acknowledged } = await bench.losses();
  if (lost === 0 || lost === acknowledged) return undefined;
  return inconclusive(
    `Of ${acknowledged} acknowledged events, ${lost} left no trace in the state (T6), so other differences prove nothing.`,
    "Store every event before you answer 2xx, then check again.",
  );
}

/** The finding if something differs after the events of several kinds. Each kind alone shows more. */
export const DIFFERS = inconclusive("Something differs.");

/** Finds the kinds that pass a check at once. Kinds are left out if their events show no change together. */
async function rightTogether(
  bench: Bench,
  run: RunFor,
  scope: readonly ObjectKind[],
  way: Way,
): Promise<readonly ObjectKind[]> {
  const { isAlone = false, isAbout = () => true } = way;
  if (isAlone || bench.options.pauseMs > 0) return [];
  const kinds: ObjectKind[] = [];
  for (const kind of scope.filter(isAbout)) {
    try {
      const isShown = (await shownCount(bench, kind)) === Infinity;
      if (isShown && !(await isCountedOnly(bench, kind, way))) kinds.push(kind);
    } catch (error) {
      if (!(error instanceof Refused || error instanceof NothingShown)) throw error;
    }
  }
  // A slow receiver may still work on earlier events. That work would look like the work of the next events.
  if (kinds.length < 2 || bench.countAtOnce(kinds.length) < kinds.length) return [];
  try {
    return (await run(kinds)).verdict === "pass" ? kinds : [];
  } catch (error) {
    if (error instanceof Refused || error instanceof NothingShown) return [];
    throw error;
  }
}

/** Runs a check for one kind of object. It is not decided if the events are refused or show no change. */
export async function ofFamily(run: RunFor, kind: ObjectKind): Promise<Finding> {
  try {
    return await run([kind]);
  } catch (error) {
    if (error instanceof Refused) return notAccepted(error.sent);
    if (error instanceof NothingShown) return { ...NOTHING_SHOWN, cause: IGNORED };
    throw error;
  }
}

/** Returns the verdict over all kinds of objects: a failure of any, otherwise an undecided finding. */
function overAll(
  bench: Bench,
  found: readonly (readonly [ObjectKind, Finding])[],
  families: NonNullable<Finding["families"]>,
): Finding {
  const having = (verdict: string): Finding[] =>
    found.flatMap(([, finding]) => (finding.verdict === verdict ? [finding] : []));
  const failures = having("fail");
  if (failures[0] !== undefined) {
    const fixes = failures.map(({ fix = "" }) => fix.replace(` ${IGNORE}`, ""));
    const note = failures.some(({ fix = "" }) => fix.endsWith(IGNORE)) ? [IGNORE] : [];
    return {
      ...failures[0],
      cause: [...new Set(failures.map(({ cause }) => cause))].join(" "),
      fix: [...new Set([...fixes, ...note])].join(" "),
    };
  }
  const open = families.filter(({ verdict }) => verdict === "inconclusive");
  if (open.length === 0) return PASS;
  const isBlind = open.every(({ cause }) => cause === IGNORED);
  if (!isBlind) return having("inconclusive").find(({ cause }) => cause !== IGNORED) ?? NOTHING_SHOWN;
  if (having("pass").length === 0 && !bench.showsGoodEvent) return NOTHING_SHOWN;
  return inconclusive(
    `The probe showed no change after events of ${open.map(({ family }) => family).join(", ")}.`,
    "Let the probe show them, or name the parts that your integration uses, such as --capabilities orders,refunds.",
  );
}

const IGNORED = "The probe showed no change after these events.";

/**
 * Finds the visible part of the events of new objects, once: the number of the events, and their usual change. All
 * events count, or the first event alone if the others undo its change. Rejects with `NothingShown` if no change is
 * visible.
 */
export async function shownPart(bench: Bench, kinds: readonly ObjectKind[]) {
  const usual = await ifShown(usualOf(bench, kinds, { name: "all events", chosen: (events) => events }));
  if (usual !== undefined) return { usual, count: Infinity };
  const first = await usualOf(bench, kinds, {
    name: "the first event",
    chosen: (events) => events.slice(0, 1),
  });
  return { usual: assertDefined(first, "a probe"), count: 1 };
}

/**
 * Finds the number of events of a new object until the probe shows a change: all events, or only the first one. The
 * result is stored. Rejects with `NothingShown` if the probe shows no change.
 */
export async function shownCount(bench: Bench, kind: ObjectKind): Promise<number> {
  return (await shownEvents(bench, kind)).count;
}

/** Finds what the probe shows of the events of a new object: the number of the events, and if it shows only counters. */
function shownEvents(
  bench: Bench,
  kind: ObjectKind,
): Promise<{ readonly count: number; readonly isCounted: boolean }> {
  return bench.once(`shown events of a ${kind}`, async () => {
    const { probe } = bench;
    for (const count of [Infinity, 1]) {
      if (probe === undefined) return { count, isCounted: false };
      const observed = await observedOf(bench, probe, [kind], (events) =>
        sendInOrder(bench, events.slice(0, count)),
      );
      const { before, after } = observed;
      if (probe.isChanged(before, after)) return { count, isCounted: probe.showsOnlyCounters(observed) };
    }
    throw new NothingShown("The probe does not show an accepted event.");
  });
}

/** Returns true if a check has to see an object, and the probe shows only counters. */
async function isCountedOnly(
  bench: Bench,
  kind: ObjectKind,
  { seesObjects = false, isAbout = () => true }: Way,
): Promise<boolean> {
  if (!seesObjects || !isAbout(kind)) return false;
  try {
    return (await shownEvents(bench, kind)).isCounted;
  } catch (error) {
    // The check itself finds the reason.
    if (error instanceof Refused || error instanceof NothingShown) return false;
    throw error;
  }
}

/**
 * Returns the usual change of the chosen events of new objects. It is learned once for each name. With `isWhole`, the
 * events that a receiver has to know before belong to those of the object.
 */
export function usualOf(
  bench: Bench,
  kinds: readonly ObjectKind[],
  {
    name,
    chosen,
    isWhole,
  }: {
    readonly name: string;
    readonly chosen: (events: readonly WebhookEvent[]) => readonly WebhookEvent[];
    readonly isWhole?: boolean | undefined;
  },
) {
  const deliver = (events: readonly WebhookEvent[]): Promise<readonly WebhookEvent[]> =>
    sendInOrder(bench, chosen(events));
  return bench.usualChange(`${name} of a ${kinds.join(", ")}`, (probe) =>
    observedOf(bench, probe, kinds, deliver, isWhole),
  );
}

/**
 * Creates a new object of each kind. Sends the events that a receiver has to know before, unless they are a part of the
 * whole.
 */
export async function newObjects(
  bench: Bench,
  kinds: readonly ObjectKind[],
  isWhole = false,
): Promise<LifecycleEvents[]> {
  const objects: LifecycleEvents[] = [];
  for (const kind of kinds) objects.push(await bench.options.source.lifecycle(kind));
  if (isWhole) return objects.map(({ before, events }) => ({ before: [], events: [...before, ...events] }));
  await Promise.all(objects.map(({ before }) => sendInOrder(bench, before)));
  return objects;
}

/**
 * Observes the change of deliveries of the events of new objects. `deliver` returns the events of one object in their
 * own order. Objects of several kinds get their events at the same time. Events that a receiver must know first were
 * sent before, so they do not count.
 */
export async function observedOf(
  bench: Bench,
  probe: Probe,
  kinds: readonly ObjectKind[],
  deliver: (events: readonly WebhookEvent[]) => Promise<readonly WebhookEvent[]>,
  isWhole = false,
) {
  const objects = await newObjects(bench, kinds, isWhole);
  const observed = await bench.observe(probe, async () =>
    (await Promise.all(objects.map(({ events }) => deliver(events)))).flat(),
  );
  return { ...observed, events: [...objects.flatMap(({ before }) => before), ...observed.events] };
}

/** Sends events one after another, again after a 5xx. Rejects with `Refused` if an event is not accepted. */
export async function sendInOrder(
  bench: Bench,
  events: readonly WebhookEvent[],
): Promise<readonly WebhookEvent[]> {
  const retries: WebhookEvent[] = [];
  for (const event of events) {
    const sent = await bench.send(event);
    if (isAccepted(sent)) continue;
    if (sent.status === null || sent.status < 500) throw new Refused(sent);
    retries.push(event);
  }
  for (const event of retries) {
    const sent = await resent(bench, event);
    if (!isAccepted(sent)) throw new Refused(sent);
  }
  return events;
}

/** The pauses before an event that got a 5xx comes again. They grow, as those of the platform do. */
const RETRY_PAUSES_MS = [200, 1_000, 5_000];

/** Sends an event again until it is accepted, or the last pause is over. Returns the last answer. */
export async function resent(bench: Bench, event: WebhookEvent): Promise<Sent> {
  let sent = await bench.send(event);
  for (const ms of RETRY_PAUSES_MS) {
    if (isAccepted(sent)) break;
    await bench.pause(ms);
    sent = await bench.send(event);
  }
  return sent;
}

/** Returns the finding if an event is refused although it is usual. */
export function notAccepted({ request }: Sent): Finding {
  const name = textAt(parsed(Buffer.from(request.body).toString("utf8")), "event");
  return inconclusive(
    `The event ${name} is not accepted in the right order either, so its effect cannot be checked.`,
    "Acknowledge every event, also events that you do not need, then check again.",
  );
}
