import { type Bench, isAccepted } from "./bench.ts";
import { type FamilyVerdict, type Finding, PASS, type Sent, inconclusive, skipped } from "./finding.ts";
import { LIFECYCLES, type Lifecycle, type WebhookEvent } from "./event-source.ts";
import { IGNORE, NOTHING_SHOWN } from "./state-findings.ts";
import { NothingShown, type Probe, ifShown } from "./probe.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { parsed, textAt } from "../../engine/json.ts";
import type { Observed, UsualChange } from "./state-change.ts";

/** What an integration is about that has objects of each kind. */
const CAPABILITIES_OF: Readonly<Record<Lifecycle, readonly string[]>> = {
  order: ["orders", "refunds"],
  subscription: ["subscriptions"],
  charge: ["subscriptions", "charges"],
  "canceled charge": ["subscriptions", "charges"],
  payout: ["payouts"],
};

/** A refusal of an event that is no copy of another. */
export class Refused extends Error {
  readonly sent: Sent;

  constructor(sent: Sent) {
    super("An event was not accepted.");
    this.sent = sent;
  }
}

/** The kinds of objects that the integration is about. */
function familiesInScope(bench: Bench): readonly Lifecycle[] {
  const { capabilities = [] } = bench.options;
  return LIFECYCLES.filter(
    (lifecycle) =>
      bench.includes(`${lifecycle}s`) &&
      (capabilities.length === 0 || CAPABILITIES_OF[lifecycle].some((one) => capabilities.includes(one))),
  );
}

/**
 * Runs a check for each kind of object, because a receiver may handle some and ignore others. What it ignores is not
 * decided, and neither is the whole; a kind for which the check is skipped counts neither way.
 */
export async function byFamily(
  bench: Bench,
  run: (lifecycle: Lifecycle) => Promise<Finding>,
): Promise<Finding> {
  const { lost, acknowledged } = await bench.losses();
  if (lost > 0 && lost < acknowledged)
    return inconclusive(
      `Of ${acknowledged} events that were acknowledged ${lost} left no trace (T6): what is missing or comes late in the state shows nothing else.`,
      "Store every event before you answer 2xx, then check again.",
    );
  const all: (readonly [Lifecycle, Finding])[] = [];
  for (const lifecycle of familiesInScope(bench)) all.push([lifecycle, await ofFamily(run, lifecycle)]);
  const found = all.filter(([, { verdict }]) => verdict !== "skipped");
  if (found.length === 0) return all[0]?.[1] ?? skipped("What the integration is about has no webhooks.");
  const families = found.map(([lifecycle, { verdict, cause }]): FamilyVerdict => {
    return { family: `${lifecycle}s`, verdict, ...(cause !== undefined && verdict !== "pass" && { cause }) };
  });
  return { ...overAll(bench, found, families), families };
}

/** Runs a check for one kind of object; where its events are refused or show nothing, it is not decided. */
export async function ofFamily(
  run: (lifecycle: Lifecycle) => Promise<Finding>,
  lifecycle: Lifecycle,
): Promise<Finding> {
  try {
    return await run(lifecycle);
  } catch (error) {
    if (error instanceof Refused) return notAccepted(error.sent);
    if (error instanceof NothingShown) return { ...NOTHING_SHOWN, cause: IGNORED };
    throw error;
  }
}

/** The verdict over all kinds of objects: a failure of any, otherwise what is not decided. */
function overAll(
  bench: Bench,
  found: readonly (readonly [Lifecycle, Finding])[],
  families: readonly FamilyVerdict[],
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
  if (having("pass").length === 0 && !bench.showsBaseline) return NOTHING_SHOWN;
  return inconclusive(
    `No event of ${open.map(({ family }) => family).join(", ")} changed what the probe shows.`,
    "Let the probe show them, or name what your integration is about, such as --capabilities orders,refunds.",
  );
}

const IGNORED = "No event of theirs changed what the probe shows.";

/** Events of one kind of object that show in the probe. */
export interface ShownPart {
  /** How many of its events: all, or the first one alone where the others take back what that changes. */
  readonly count: number;
  readonly usual: UsualChange;
}

/** What shows of the events of new objects, found out once. Rejects with `NothingShown` where nothing does. */
export async function shownPart(bench: Bench, lifecycle: Lifecycle): Promise<ShownPart> {
  const usual = await ifShown(usualOf(bench, lifecycle, "all events", (events) => events));
  if (usual !== undefined) return { usual, count: Infinity };
  const first = await usualOf(bench, lifecycle, "the first event", (events) => events.slice(0, 1));
  return { usual: assertDefined(first, "a probe"), count: 1 };
}

/** What these events of a new object change, as they usually come; found out once for each name. */
export function usualOf(
  bench: Bench,
  lifecycle: Lifecycle,
  name: string,
  chosen: (events: readonly WebhookEvent[]) => readonly WebhookEvent[],
): Promise<UsualChange | undefined> {
  return bench.usualChange(`${name} of a ${lifecycle}`, (probe) =>
    observedOf(bench, probe, lifecycle, (events) => sendInOrder(bench, chosen(events))),
  );
}

/**
 * What deliveries of the events of a new object change; `deliver` returns them in their own order. What a receiver has
 * to know before came before, so that it counts for nothing.
 */
export async function observedOf(
  bench: Bench,
  probe: Probe,
  lifecycle: Lifecycle,
  deliver: (events: readonly WebhookEvent[]) => Promise<readonly WebhookEvent[]>,
): Promise<Observed> {
  const { before, events } = await bench.options.source.lifecycle(lifecycle);
  await sendInOrder(bench, before);
  const observed = await bench.observe(probe, () => deliver(events));
  return { ...observed, events: [...before, ...observed.events] };
}

/** Sends events one after another, again after a 5xx. Rejects with `Refused` where one is not accepted. */
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
    await bench.rest(ms);
    sent = await bench.send(event);
  }
  return sent;
}

/** The finding where an event is refused although nothing is unusual about it. */
export function notAccepted({ request }: Sent): Finding {
  const name = textAt(parsed(Buffer.from(request.body).toString("utf8")), "event");
  return inconclusive(
    `The event ${name} is not accepted in its own order either: what it does cannot be checked.`,
    "Acknowledge every event, also those you have no use for, then check again.",
  );
}
