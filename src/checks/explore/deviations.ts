import {
  type DeviationName,
  type EffectName,
  effectNames,
  effectOf,
} from "../../simulator/platform/faults/effects.ts";
import type { EffectSlot } from "../../simulator/platform/faults/effect.ts";
import { assertDefined } from "../../simulator/engine/assertion.ts";

/** The groups of kinds. A flag may name a whole group. */
export const groups = ["webhooks", "calls", "crashes"] as const;

interface KindOfDeviation {
  readonly group: (typeof groups)[number];
  /** The subject: an event, a call of the partner's system, or a step that asks the partner's system. */
  readonly of: "event" | "call" | "step";
  /** Tried only if the user names it. */
  readonly isNamedOnly?: true;
  /** True if the result depends on timing. */
  readonly isRace?: true;
  /** The form that the system sees. It cannot tell two kinds of one form apart. Absent if no other kind looks the same. */
  readonly shows?: "copy" | "order";
}

const OF_EVENT = { group: "webhooks", of: "event" } as const;
const COPY = { ...OF_EVENT, shows: "copy" } as const;
const ORDER = { ...OF_EVENT, shows: "order" } as const;
const OF_CALL = { group: "calls", of: "call" } as const;
const KILLED_AT_EVENT = { group: "crashes", of: "event" } as const;
const KILLED_AT_CALL = { group: "crashes", of: "call" } as const;

/** Every kind, in the order of trying. Faults of the platform cause most of them, but they do not kill. */
const KINDS = {
  late: ORDER,
  twice: COPY,
  "twice-late": COPY,
  "twice-at-once": { ...COPY, isRace: true },
  "answer-lost": COPY,
  "first-try-lost": ORDER,
  early: OF_EVENT,
  together: { ...ORDER, isRace: true },
  "call-refused": OF_CALL,
  "call-lost": OF_CALL,
  "call-answer-lost": OF_CALL,
  "call-fails-after": OF_CALL,
  "call-slow": { ...OF_CALL, isNamedOnly: true },
  "call-limited": OF_CALL,
  "token-expired": OF_CALL,
  "request-twice": { group: "calls", of: "step", isRace: true },
  "killed-before-answer": { ...KILLED_AT_EVENT, isRace: true },
  "killed-after-answer": KILLED_AT_EVENT,
  "killed-in-call": KILLED_AT_CALL,
  "killed-after-call": KILLED_AT_CALL,
} as const satisfies Readonly<Record<DeviationName, KindOfDeviation> & Record<string, KindOfDeviation>>;

export type DeviationKind = keyof typeof KINDS;

/** The deviations of an event on its way. */
export type WebhookKind = {
  [Kind in DeviationKind]: (typeof KINDS)[Kind]["group"] extends "webhooks" ? Kind : never;
}[DeviationKind];

/** A kind, or a group of kinds. */
export type KindName = DeviationKind | (typeof groups)[number];

export const deviationKinds = Object.keys(KINDS) as readonly DeviationKind[];

function isDeviationKind(name: string): name is DeviationKind {
  return Object.hasOwn(KINDS, name);
}

export function isWebhookKind(kind: DeviationKind): kind is WebhookKind {
  return KINDS[kind].group === "webhooks";
}

export function kindOf(kind: DeviationKind): KindOfDeviation {
  return KINDS[kind];
}

/** Returns the kinds of a name: one kind, or all kinds of a group. Undefined for an unknown name. */
export function kindsNamed(name: string): readonly DeviationKind[] | undefined {
  if (isDeviationKind(name)) return [name];
  const ofGroup = deviationKinds.filter(
    (kind) => kindOf(kind).group === name && kindOf(kind).isNamedOnly !== true,
  );
  return ofGroup.length > 0 ? ofGroup : undefined;
}

/**
 * One change of the normal course: for one event or call of the baseline, counted from 1, or for the step with this
 * number.
 */
export interface Deviation {
  readonly event?: number;
  readonly call?: number;
  readonly step?: number;
  readonly kind: DeviationKind;
  /** For `together`: the event that is in flight with it, if it is not the first possible event. */
  readonly with?: number;
}

/** The deviations of one run. Empty for the baseline. Two `late` for one event wait for two other events. */
export type Schedule = readonly Deviation[];

/** A fault as a scenario writes it. */
export interface StepFault {
  readonly on: "webhook" | "api";
  readonly event?: string;
  readonly operation?: string;
  readonly objectNumber?: number;
  readonly nth: number;
  readonly effect: EffectName;
  readonly [field: string]: string | number | boolean | undefined;
}

/** An event of the baseline, and how it is found in any other run. */
export interface BaselineEvent {
  /** Counts from 1, in the order of announcement. */
  readonly index: number;
  readonly event: string;
  readonly collection: string;
  readonly objectId: string;
  /** The object, named by its origin. */
  readonly object: string;
  /** The position of its object among the announced objects of the collection. */
  readonly objectNumber: number;
  /** The number of this event among the events with this name and object. */
  readonly occurrence: number;
  /** The step that announced the event. The number of steps plus one if time alone brought it. */
  readonly step: number;
  /** The time of its announcement, in milliseconds. */
  readonly at: number;
  /** The call that announced the event: directly, by an immediate effect, or by its next timer. */
  readonly call?: string;
  /** True if the next timer of the call announced it. False if the call or its immediate effects announced it. */
  readonly isOfTimer?: boolean;
}

/** A call of the baseline, and how it is found in any other run. */
export interface BaselineCall {
  /** Counts from 1, in the order of arrival. */
  readonly index: number;
  readonly operation: string;
  /** The object of the call, by its caller's name for it. */
  readonly object: string;
  /** The position of its object among the objects of this operation's calls. */
  readonly objectNumber: number;
  /** The number of this call among the calls with this operation and object. */
  readonly occurrence: number;
  /** True if the partner's system, or the step that made it, repeats it. */
  readonly isRepeated: boolean;
}

/** The events and calls of the baseline, and the effects of time on the events. Every run is compared with it. */
export interface Timeline {
  readonly events: readonly BaselineEvent[];
  readonly calls: readonly BaselineCall[];
  /** The numbers of the steps that ask the partner's system to do something. */
  readonly requests: readonly number[];
  /** The end of each step, in milliseconds. */
  readonly stepEnds: readonly number[];
  /** The time between a failed first attempt and the second one. */
  readonly retryAfterMs: number;
  /** The longest time that an event is held back: the time during which the platform retries. */
  readonly holdMaxMs: number;
}

/** The longest time that the answer to a call waits for its next timer. After that the caller would give up. */
export const EARLY_MS = 30_000;

/** Returns true if a schedule moves time on the way, so that later things happen at another time. */
export function movesTime(schedule: Schedule, { events }: Timeline): boolean {
  return schedule.some(
    ({ kind, event }) =>
      kindOf(kind).group !== "webhooks" || (kind === "early" && at(events, event ?? 0).isOfTimer === true),
  );
}

/** The call that gets a token. It has no token that could expire. */
export const TOKEN_OPERATION = "issueToken";

/** Returns the deviations that are possible for a baseline. The deviations of one event, call or step stay together. */
export function candidates(timeline: Timeline, kinds: ReadonlySet<DeviationKind>): Deviation[] {
  const { events, calls, requests } = timeline;
  const of = (sort: KindOfDeviation["of"]): DeviationKind[] =>
    deviationKinds.filter((kind) => kinds.has(kind) && kindOf(kind).of === sort);
  const repeated = calls.filter(({ isRepeated }) => isRepeated);
  return [
    ...events.flatMap((event) =>
      of("event")
        .filter((kind) => impossible(kind, event, timeline) === undefined)
        .flatMap((kind) => deviationsOf(kind, event, timeline)),
    ),
    ...repeated.flatMap((call) =>
      of("call")
        .filter((kind) => kind !== "token-expired" || call.operation !== TOKEN_OPERATION)
        .map((kind) => ({ call: call.index, kind })),
    ),
    ...requests.flatMap((step) => of("step").map((kind) => ({ step, kind }))),
  ];
}

/**
 * Returns the deviations of an event. `together` has one with each companion, and names the companions after the first.
 */
function deviationsOf(kind: DeviationKind, event: BaselineEvent, timeline: Timeline): Deviation[] {
  const deviation = { event: event.index, kind };
  if (kind !== "together") return [deviation];
  return companionsOf(event, timeline).map(({ index }, position) =>
    position === 0 ? deviation : { ...deviation, with: index },
  );
}

/** Says why a deviation is not possible for an event. Undefined if it is possible. */
export function impossible(
  kind: DeviationKind,
  event: BaselineEvent,
  timeline: Timeline,
): string | undefined {
  if (kind === "late" && lateMax(event, timeline) === 0)
    return timeline.events.length === event.index
      ? "no event comes later"
      : "the next event comes after the last attempt of the platform (--beyond-retries)";
  if (kind === "early" && event.call === undefined)
    return "no call announces an event at once, or by a timer that is due before its caller gives up";
  if (kind === "together" && companionsOf(event, timeline).length === 0)
    return "no two events about one object, or of one instant, are near enough";
  return undefined;
}

/** Returns the number of later events that an event can wait for before the platform would have given up. */
export function lateMax({ index, at }: BaselineEvent, { events, holdMaxMs }: Timeline): number {
  return events.filter((later) => later.index > index && later.at - at <= holdMaxMs).length;
}

/**
 * Finds the events that can be in flight together with another event: the next event about its object, and its neighbour
 * of the same instant. A later step may announce the neighbour.
 */
function companionsOf(event: BaselineEvent, { events, holdMaxMs }: Timeline): BaselineEvent[] {
  const next = nextAbout(event, events);
  const neighbour = events[event.index];
  return [
    ...(next !== undefined && next.at - event.at <= holdMaxMs ? [next] : []),
    ...(neighbour !== undefined && neighbour !== next && neighbour.at === event.at ? [neighbour] : []),
  ];
}

/** Returns the event that is in flight together with the event of a deviation `together`. */
export function companionOf(
  { event = 0, with: index }: Deviation,
  timeline: Timeline,
): BaselineEvent | undefined {
  const { events } = timeline;
  return index === undefined ? companionsOf(at(events, event), timeline)[0] : at(events, index);
}

/** Returns true if a deviation is about two objects in flight. */
export function isAcross(deviation: Deviation, timeline: Timeline): boolean {
  const { kind, event = 0 } = deviation;
  const companion = kind === "together" ? companionOf(deviation, timeline) : undefined;
  return companion !== undefined && companion.objectId !== at(timeline.events, event).objectId;
}

/** Returns the next event about the same object. */
export function nextAbout(
  { index, objectId }: BaselineEvent,
  events: readonly BaselineEvent[],
): BaselineEvent | undefined {
  return events.find((other) => other.index > index && other.objectId === objectId);
}

/** Returns the slot of a deviation. An event has at most one deviation for each slot. */
function slotOf(kind: DeviationKind): EffectSlot {
  const { slot } = effectOf(effectOfKind(kind).effect);
  // The connection of the first attempt is the first attempt.
  return slot === "connection" ? "first-attempts" : slot;
}

/** Returns the effect of a kind of deviation, with the values of its fields. */
function effectOfKind(kind: DeviationKind): Pick<StepFault, "effect"> & Partial<StepFault> {
  const found = effectNames().find((name) => Object.hasOwn(effectOf(name).deviations ?? {}, kind));
  const effect = assertDefined(found, `the effect of ${kind}`);
  return { effect, ...effectOf(effect).deviations?.[kind] };
}

/** Returns true if two deviations can be in one schedule. */
export function areCompatible(one: Deviation, other: Deviation, timeline: Timeline): boolean {
  const kinds = [one.kind, other.kind];
  const isSameSubject = one.event === other.event && one.call === other.call && one.step === other.step;
  if (isSameSubject) {
    if (one.kind === other.kind) return one.kind === "late";
    // A call has one deviation, and a process is killed only at an event without a deviation.
    if (kinds.some((kind) => kindOf(kind).group !== "webhooks")) return false;
    if (slotOf(one.kind) === slotOf(other.kind)) return false;
    const isFirst = kinds.some((kind) => slotOf(kind) === "first-attempts");
    if (kinds.includes("together") && isFirst) return false;
    return !(kinds.includes("early") && kinds.includes("first-try-lost"));
  }
  // Requests that are in flight together are answered, or lost, together.
  return isLeftAlone(one, other, timeline) && isLeftAlone(other, one, timeline);
}

function isLeftAlone(one: Deviation, other: Deviation, timeline: Timeline): boolean {
  const loses = other.kind === "answer-lost" || kindOf(other.kind).group === "crashes";
  return one.kind !== "together" || !loses || companionOf(one, timeline)?.index !== other.event;
}

/** Returns true if a schedule contains each deviation of the smaller one at least as often. */
export function contains(schedule: Schedule, smaller: Schedule): boolean {
  const left = schedule.map(keyOf);
  return smaller.every((deviation) => {
    const at = left.indexOf(keyOf(deviation));
    if (at < 0) return false;
    left.splice(at, 1);
    return true;
  });
}

export function keyOf(deviation: Deviation): string {
  const { kind, with: other } = deviation;
  return `${kind}-${indexOf(deviation)}${other === undefined ? "" : `-with-${other}`}`;
}

/** Returns the number of the event, call or step of a deviation. */
export function indexOf({ event, call, step }: Deviation): number {
  return event ?? call ?? step ?? 0;
}

/** Names a schedule. The name may be the name of a file: `twice-late-2`, `late-1-twice-3`. */
export function nameOf(schedule: Schedule): string {
  return schedule.length === 0 ? "baseline" : schedule.map(keyOf).join("-");
}

/** Returns the deviations that faults of the platform cause, each once, in the order of arming. */
export function armedOf(schedule: Schedule): Schedule {
  const isFault = ({ kind, event }: Deviation): boolean =>
    kind !== "request-twice" && !(event !== undefined && kindOf(kind).group === "crashes");
  return schedule.filter(
    (one, index) => isFault(one) && schedule.findIndex((other) => keyOf(other) === keyOf(one)) === index,
  );
}

/** Returns the faults of a schedule. They name an event or call by its position, so it is the same in every run. */
export function faultsOf(schedule: Schedule, timeline: Timeline, slowMs: number): StepFault[] {
  return armedOf(schedule).map((deviation): StepFault => {
    const { event, call, kind } = deviation;
    if (call !== undefined) return callFault(kind, at(timeline.calls, call), { timeline, slowMs });
    const found = at(timeline.events, event ?? 0);
    const count = schedule.filter((other) => keyOf(other) === keyOf(deviation)).length;
    return {
      on: "webhook",
      ...selectorsOf(found, timeline.events),
      ...effectOfKind(kind),
      ...(count > 1 && { events: count }),
      // The later events may depend on this event, and then never come.
      ...(kind === "late" && timeline.holdMaxMs < Infinity && { within: `PT${timeline.holdMaxMs / 1000}S` }),
      ...(isAcross(deviation, timeline) && { anyObject: true }),
      ...(kind === "early" && found.isOfTimer === true && { within: `PT${EARLY_MS / 1000}S` }),
    };
  });
}

export function at<Item>(items: readonly Item[], index: number): Item {
  return assertDefined(items[index - 1], `what has the number ${index}`);
}

/** The fault for the call of a kill. The fault also shows the moment of the kill. */
const CRASH_FAULTS = {
  "killed-in-call": { effect: "reset" },
  "killed-after-call": { effect: "latency", by: "PT0S", after: true },
} as const;

function callFault(
  kind: DeviationKind,
  { operation, objectNumber, occurrence }: BaselineCall,
  { timeline, slowMs }: { readonly timeline: Timeline; readonly slowMs: number },
): StepFault {
  const isOnly = timeline.calls.every((other) => other.operation !== operation || other.objectNumber === 1);
  return {
    on: "api",
    operation,
    ...(!isOnly && { objectNumber }),
    nth: occurrence,
    ...(kind in CRASH_FAULTS ? CRASH_FAULTS[kind as keyof typeof CRASH_FAULTS] : effectOfKind(kind)),
    ...(kind === "call-slow" && { by: `PT${slowMs / 1000}S` }),
  };
}

function selectorsOf(
  { event, collection, objectNumber, occurrence }: BaselineEvent,
  events: readonly BaselineEvent[],
): Pick<StepFault, "event" | "objectNumber" | "nth"> {
  const isOnly = events.every((other) => other.collection !== collection || other.objectNumber === 1);
  return { event, ...(!isOnly && { objectNumber }), nth: occurrence };
}
