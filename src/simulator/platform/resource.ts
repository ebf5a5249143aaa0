import type { Records, Store } from "../engine/store.ts";
import type { Collection, StoredRecord, Stateful } from "../engine/collection.ts";
import type { Handler } from "./call.ts";
import type { Lifecycle } from "../engine/lifecycle.ts";
import type { ResourceApi } from "./operations.ts";
import type { ShapeName } from "../api/generated/shapes.ts";
import type { Step, StepInput, StepNames } from "./step.ts";
import type { Timer } from "../engine/timers.ts";
import type { TimerKind, Transaction } from "../engine/transaction.ts";
import { assert, assertDefined } from "../engine/assertion.ts";
import { neverSettles } from "./faults/never-settles.ts";
import { Refusal } from "../engine/refusal.ts";

/** An action of someone outside the platform: a payer, an institution, the holder of an account. */
export interface ActDefinition<R> {
  readonly summary: string;
  /** The states of its object that allow the act. Default: the states of the lifecycle tables. */
  readonly from?: readonly string[];
  /**
   * The schema of the fields in addition to `id`, by its name in `schemas/source/acts.schema.json`. Default: no further
   * fields.
   */
  readonly fields?: ShapeName;
  /** Writes out fields that may be sent in a short form, before they are validated. */
  readonly normalize?: (fields: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** The fields have the shape of their schema. */
  run(tx: Transaction, record: R, fields: never): unknown;
}

/** The action of a resource when one of its steps is due. */
export interface StepHandler<Outcome extends string = string, Named extends StepNames = StepNames> {
  readonly step: Step<Outcome, never, Named>;
  /** The collections whose objects a plan for the step may name. */
  readonly plannedOn: readonly string[];
  /** Null for a step that has no timer. */
  readonly fire: ((tx: Transaction, timer: Timer) => void) | null;
  /** Schedules the step of an object that just got a plan, if it waits for a plan. */
  readonly wake: (tx: Transaction, objectId: string) => void;
}

export interface Origin {
  readonly says: string;
  readonly operation?: string;
}

/** Everything the platform has about one kind of object. */
interface ResourceDefinition<R extends StoredRecord, I extends string> {
  /** The name of the collection under `/sandbox/resources`. */
  readonly name: string;
  readonly collection: Collection<R, I>;
  /** The object in the form for `/sandbox/resources` and acts. Without it the collection is not listed. */
  readonly view?: (record: R, records: Records) => object;
  /** The part of the sandbox's own API that lists it in place of `/sandbox/resources`. */
  readonly listedIn?: string;
  /** The tables of its records, the main one first. */
  readonly lifecycles?: readonly Lifecycle[];
  /** Its operations and events as the platform API describes them. */
  readonly api?: ResourceApi;
  /** The word for one object. Default: its name without the s. */
  readonly noun?: string;
  /** The origin of the objects, in a sentence, and the operation that makes them. */
  readonly origin?: Origin;
  /** A shipped scenario that shows the resource, by its file in `scenarios/`. */
  readonly scenario?: string;
  /** The handlers of the operations, by operationId. */
  readonly operations?: Readonly<Record<string, Handler>>;
  /** The part of an act's name before the dot; the resource of its lifecycle by default. */
  readonly actPrefix?: string;
  readonly acts?: Readonly<Record<string, ActDefinition<R>>>;
  readonly steps?: readonly StepHandler[];
  /** The actions of timers that are not steps. */
  readonly timers?: readonly TimerKind[];
}

/** An act with its full name. */
export interface Act {
  /** `subscription.accept` */
  readonly name: string;
  /** The collection of the object; the act answers with the object as it then is. */
  readonly collection: string;
  readonly summary: string;
  readonly from: readonly string[] | null;
  readonly fields: ShapeName | null;
  readonly normalize: NonNullable<ActDefinition<never>["normalize"]>;
  run(tx: Transaction, id: string, fields: object): void;
}

/** A collection of objects to look at, in the platform API's shape. */
export interface ObjectList {
  /** Lists the records, or those of a status, the newest first. */
  newestFirst(records: Pick<Store, "newestFirst">, status?: string): Iterable<StoredRecord>;
  /** Returns a record of the list in the shape of the platform API. */
  view(record: StoredRecord, records: Records): object;
  get(records: Records, id: string): object | undefined;
  /** Whether there is an object with this id. Its view may take long: a payout shows each of its transactions. */
  has(records: Records, id: string): boolean;
  /** The number of objects in each status. A status without objects is left out. */
  statuses(records: Pick<Store, "counts">): Record<string, number>;
}

/** A resource as the catalog lists it; the words that users type are the types of its definition. */
export interface Resource<Definition = unknown> {
  readonly definition: Definition;
  readonly name: string;
  readonly noun: string;
  readonly origin: Origin | null;
  readonly scenario: string | null;
  readonly isListed: boolean;
  readonly lifecycles: readonly Lifecycle[];
  readonly api: ResourceApi;
  readonly operations: Readonly<Record<string, Handler>>;
  readonly acts: readonly Act[];
  readonly steps: readonly StepHandler[];
  readonly timers: readonly TimerKind[];
  readonly objects: ObjectList | undefined;
}

/**
 * Defines a resource: its operations, acts, steps and timers, and how its objects look. `catalog.ts` lists it, and
 * everything else is derived from that list.
 *
 * ```ts
 * export const refundResource = defineResource({
 *   name: "refunds",
 *   api: refundApi,
 *   collection: refunds,
 *   view: refundView,
 *   lifecycles: [refundLifecycle],
 *   operations: { refundOrder },
 *   acts: { settle: { summary: "The money arrives with the payer.", run: settleRefund } },
 *   steps: [handle(refundOutcome, { decide: decideRefund })],
 * });
 * ```
 */
export function defineResource<
  R extends StoredRecord,
  I extends string,
  const Definition extends ResourceDefinition<R, I>,
>(given: Definition & { readonly collection: Collection<R, I> }): Resource<Definition> {
  const definition: ResourceDefinition<R, I> = given;
  const { name, collection, view, lifecycles = [], operations = {}, acts = {}, steps = [] } = definition;
  const prefix = definition.actPrefix ?? lifecycles[0]?.resource ?? name;

  /** Returns the object that an act names, of any company. A refusal says where to look. */
  function objectOf(tx: Transaction, id: string): R {
    const found = tx.get(collection, id);
    if (found !== undefined) return found;
    const { listedIn = `resources/${name}` } = definition;
    throw new Refusal(
      "NOT_FOUND",
      `There is no object "${id.slice(0, 60)}" in ${name}. GET /sandbox/${listedIn} lists them.`,
    );
  }

  return {
    definition: given,
    name,
    noun: definition.noun ?? name.replaceAll("-", " ").replace(/s$/, ""),
    origin: definition.origin ?? null,
    scenario: definition.scenario ?? null,
    isListed: view !== undefined && definition.listedIn === undefined,
    api: definition.api ?? {},
    lifecycles,
    operations,
    steps,
    timers: [
      ...steps.flatMap(({ step, fire }) => (fire === null ? [] : [{ name: step.name, fire }])),
      ...(definition.timers ?? []),
    ],
    objects: view && objectList(collection, view),
    acts: Object.entries(acts).map(([action, act]) => ({
      name: `${prefix}.${action}`,
      collection: name,
      summary: act.summary,
      from: act.from ?? null,
      fields: act.fields ?? null,
      normalize: act.normalize ?? ((fields) => fields),
      run: (tx, id, fields) => void act.run(tx, objectOf(tx, id), fields as never),
    })),
  };
}

/** Handles a step when it is due. `decide` gets the outcome that was decided when the timer was armed, if any. */
export function handle<O extends string, R extends Stateful, Named extends StepNames>(
  step: Step<O, R, Named>,
  handler: {
    /** Null for a step that is over before the creation of its object has been answered. */
    readonly decide: ((tx: Transaction, record: R, decided: O | null) => void) | null;
    /** Default: `planCollection` of the step, or nothing if the step has no timer. */
    readonly plannedOn?: readonly string[];
    /** The states in which a plan alone arms the timer, in addition to the states of the lifecycle. */
    readonly plannedIn?: readonly R["status"][];
    readonly wake?: (tx: Transaction, objectId: string) => void;
  },
): StepHandler<O, Named> {
  const { decide, wake, plannedIn } = handler;
  const { planCollection } = step;
  return {
    step,
    plannedOn: handler.plannedOn ?? (decide === null ? [] : [planCollection]),
    fire:
      decide &&
      ((tx, { owner, input }) => {
        const record = recordDue(tx, { of: step.of, timer: step.name, owner, plannedIn });
        const objects = { objectIds: step.planIds(record), collection: planCollection };
        if (step.settles && neverSettles(tx, objects)) return;
        decide(tx, record, ((input as StepInput | null)?.outcome ?? null) as O | null);
      }),
    wake: wake ?? ((tx, objectId) => scheduleWaiting(tx, step, tx.get(step.of, objectId))),
  };
}

/** Schedules a step for a record that is in a state of the step and has no timer for it. */
export function scheduleWaiting<R extends Stateful>(
  tx: Transaction,
  step: Step<string, R>,
  record: R | undefined,
): void {
  const states = step.of.lifecycle?.timers?.[step.name];
  if (record === undefined || states?.includes(record.status) !== true) return;
  if (!tx.isArmed(step.name, record.id)) step.schedule(tx, record);
}

/** Declares a timer of the records of a collection that is not a step. */
export function timerOf<R extends StoredRecord, I extends string>(
  of: Collection<R, I>,
  name: string,
  fire: (tx: Transaction, record: R) => void,
): TimerKind {
  return { name, fire: (tx, { owner }) => fire(tx, recordDue(tx, { of, timer: name, owner })) };
}

/** The record of a timer that is due, which is in one of the states that the lifecycle gives the timer. */
function recordDue<R extends StoredRecord, I extends string>(
  tx: Transaction,
  due: {
    readonly of: Collection<R, I>;
    readonly timer: string;
    readonly owner: string;
    readonly plannedIn?: readonly string[] | undefined;
  },
): R {
  const { of, timer, owner, plannedIn = [] } = due;
  const record: R & Partial<Stateful> = assertDefined(tx.get(of, owner), `the record ${owner} of ${timer}`);
  const states = of.lifecycle?.timers?.[timer];
  assert(
    states === undefined || [...states, ...plannedIn].includes(record.status ?? ""),
    `the timer ${timer} of ${owner} was due in the state ${record.status}`,
  );
  return record;
}

function objectList<R extends StoredRecord, I extends string>(
  of: Collection<R, I>,
  view: (record: R, records: Records) => object,
): ObjectList {
  return {
    newestFirst: (records, status) =>
      records.newestFirst(
        of,
        status === undefined ? [] : [{ facet: statusOf, fits: (found) => found === status }],
      ),
    view: (record, records) => view(record as R, records),
    get(records, id) {
      const record = records.get(of, id);
      return record && view(record, records);
    },
    has: (records, id) => records.get(of, id) !== undefined,
    statuses: (records) => Object.fromEntries(records.counts(of, statusOf)),
  };
}

/** The facet of a record's status. All reads share it, so a world has one index of it. */
export function statusOf({ status = "" }: StoredRecord & Partial<Pick<Stateful, "status">>): string {
  return status;
}
