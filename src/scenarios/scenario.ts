import type { FixtureSource } from "../server/access/fixture-files.ts";
import { isRecord } from "../simulator/engine/json.ts";
import { type Place, shown } from "./source.ts";

interface StepOfAnyKind extends Place {
  /** The number of the step, from 1. */
  readonly number: number;
  readonly note?: string;
  readonly save?: string;
  readonly expect?: Expectation;
  readonly waitFor?: AwaitedValue;
}

/** A value in the state of the partner's system. A step with it waits for the value before it begins. */
export interface AwaitedValue {
  /** A JSONPath. */
  readonly probe: string;
  readonly is: unknown;
}

export interface CallStep extends StepOfAnyKind {
  readonly verb: "call";
  readonly call: string;
  readonly path?: { readonly [name: string]: unknown };
  readonly query?: { readonly [name: string]: unknown };
  readonly headers?: { readonly [name: string]: unknown };
  readonly body?: unknown;
  /** A company or a token. Null means a call without a token. */
  readonly as?: string | null;
  /** The idempotency key. Null means a call without a key. */
  readonly key?: string | number | null;
  /** The way in which this step's client repeats a failed call; default: `none`. */
  readonly retry?: "same-key" | "new-key" | "none";
}

/** The number of further tries of a failed step, and the clock's move before each try. */
export interface Repetition {
  readonly times: number;
  /** An ISO 8601 duration of the sandbox's clock. */
  readonly every: string;
}

/** A request to the partner's own system. */
export interface RequestStep extends StepOfAnyKind {
  readonly verb: "request";
  /** The method and the URL: `POST http://127.0.0.1:3000/members`; `partner:/members` for a client in this process. */
  readonly request: string;
  readonly headers?: { readonly [name: string]: unknown };
  readonly body?: unknown;
  /** An ISO 8601 duration of wall time; `REQUEST_TIMEOUT` by default. */
  readonly timeout?: string;
  /** The number of repeats after a failure: 0 for never. By default only explorations repeat it. */
  readonly repeat?: 0 | Partial<Repetition>;
  /** True for a nightly job. Explorations play it once more after the last step. */
  readonly tick?: boolean;
}

interface ActStep extends StepOfAnyKind {
  readonly verb: "act";
  readonly act: string;
  readonly on?: unknown;
  readonly with?: { readonly [name: string]: unknown };
  readonly as?: string | null;
}

interface PlanStep extends StepOfAnyKind {
  readonly verb: "plan";
  readonly plan: string;
  readonly on?: unknown;
  readonly outcomes: unknown;
}

export interface AdvanceStep extends StepOfAnyKind {
  readonly verb: "advance";
  /** False moves the clock without waiting for webhooks on their way. */
  readonly wait?: boolean;
  readonly advance: string | { readonly by?: string; readonly to?: string; readonly until?: string };
}

interface FaultStep extends StepOfAnyKind {
  readonly verb: "fault";
  readonly fault: { readonly [field: string]: unknown };
}

export interface ReceiverStep extends StepOfAnyKind {
  readonly verb: "receiver";
  readonly receiver: {
    readonly answers?: unknown;
    readonly always?: unknown;
    readonly holds?: true;
    readonly replies?: unknown;
  };
}

/** Takes its steps several times. The names that a round saves belong to the round. */
export interface RepeatStep extends StepOfAnyKind {
  readonly verb: "repeat";
  readonly repeat: {
    readonly times: number;
    /** The name of the number of the round, from 1. */
    readonly as?: string;
    /** The steps of a round, numbered from 1. */
    readonly steps: readonly ScenarioStep[];
  };
}

interface ExpectStep extends StepOfAnyKind {
  readonly verb: "expect";
  readonly expect: Expectation;
}

export type ScenarioStep =
  | CallStep
  | RequestStep
  | ActStep
  | PlanStep
  | AdvanceStep
  | FaultStep
  | ReceiverStep
  | RepeatStep
  | ExpectStep;

export type Verb = ScenarioStep["verb"];

/** One object, or without `id` a whole collection, and its expected value. */
export interface ResourceExpectation {
  readonly collection: string;
  readonly id?: unknown;
  readonly is: unknown;
}

/** The checks of an `expect`. The first three are about the answer of the step that has the `expect`. */
export interface Expectation {
  readonly status?: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly webhooks?: unknown;
  readonly deliveries?: unknown;
  readonly resource?: ResourceExpectation | readonly ResourceExpectation[];
  readonly ledger?: unknown;
  readonly happened?: unknown;
}

/** The place of the partner's books in the state that the probe shows. */
export interface BooksSettings {
  /** Restricts the sums to one account. */
  readonly account?: string;
  /** `minor`: amounts are integers in the smallest unit of their currency. */
  readonly unit?: "minor" | "major";
  /** The moments of agreement; default: every quiet moment. */
  readonly when?: "quiet" | "end";
  /** A JSONPath to each sum. */
  readonly totals?: Readonly<
    Partial<Record<"received" | "refunded" | "paidOut" | "fees" | "balance", string>>
  >;
  readonly rows?: readonly RowSettings[];
}

/** The partner's single records. */
export interface RowSettings {
  /** A collection of the sandbox. */
  readonly of: string;
  /** A JSONPath to the rows. */
  readonly at: string;
  /** The field of a row with the externalId or the id of the object. */
  readonly key: string;
  readonly amount?: string;
  /** The field with the status, and by status of the sandbox the partner's words for it. */
  readonly status?: { readonly field: string } & Readonly<Record<string, string | readonly string[]>>;
}

/** The address of the partner's state, and the expected state at the end. */
export interface ProbeSettings extends Place {
  readonly url?: string;
  /** JSON paths that are not compared. */
  readonly ignore?: readonly string[];
  /** Wall time for work after the last answer: an ISO 8601 duration. */
  readonly settle?: string;
  /** The whole state that the probe has to show after the last step. */
  readonly state?: unknown;
  /** Places of `state` whose value is different in every run. Only the presence of a value is compared. */
  readonly unstable?: readonly string[];
  /** The partner's sums and rows, which have to agree with the ledger. */
  readonly books?: BooksSettings;
  /** Lists of `state` whose order, and objects whose keys, differ by themselves. */
  readonly unordered?: readonly string[];
}

/** One thing that goes differently, for an event, a call or a step of the scenario: `{ event: 2, kind: late }`. */
interface SavedDeviation {
  readonly event?: number;
  readonly call?: number;
  readonly step?: number;
  readonly kind: string;
  /** The delay of the answer in `call-slow`, or the time between the webhook and the kill of a process. */
  readonly by?: string;
  /** The number of tries for a race. */
  readonly repeat?: number;
  /** For `together`: the event about another object that is in flight with it. */
  readonly with?: number;
  /** For `late` and `together`: true if the event is also held after the last attempt of the platform. */
  readonly beyondRetries?: boolean;
}

/** A scenario ready to run: fixtures, the values of one matrix combination and all params are filled in. */
export interface Scenario {
  readonly name: string;
  readonly description?: string;
  readonly file: string;
  readonly seed?: number;
  /** An instant, or `now` for the current time; `DEFAULT_START` without one. */
  readonly start?: string;
  /** Lists of fixtures, or a folder; in the file it may be relative to the file. */
  readonly fixtures?: FixtureSource;
  /** The webhook URL of every company. With null each company keeps its own URL. */
  readonly webhookUrl?: string | null;
  /** The origin of the requests, and so of the URLs that the sandbox returns. */
  readonly origin?: string;
  readonly assumptions?: { readonly [id: string]: unknown };
  /** The matrix values of this run; empty for a file without a matrix. */
  readonly combination: { readonly [name: string]: unknown };
  /** The Pact provider state this scenario leads to. */
  readonly state?: string;
  readonly params: { readonly [name: string]: unknown };
  readonly returns?: { readonly [name: string]: unknown };
  readonly probe?: ProbeSettings;
  /** The deviations. The scenario is played without and with them, and must end in the same state. */
  readonly deviations?: readonly SavedDeviation[];
  readonly steps: readonly ScenarioStep[];
}

/** The verbs in the order of messages. The last two are last, because other steps may have these fields too. */
export const verbs = [
  "call",
  "request",
  "act",
  "plan",
  "advance",
  "fault",
  "receiver",
  "repeat",
  "expect",
] as const;

/** Returns steps and the steps inside their rounds. */
export function withRounds(steps: readonly ScenarioStep[]): readonly ScenarioStep[] {
  return steps.flatMap((step) =>
    step.verb === "repeat" ? [step, ...withRounds(step.repeat.steps)] : [step],
  );
}

/** Removes the expectations of a step, and of its rounds. A call that the platform refuses as expected counts as done. */
export function withoutExpectations(step: ScenarioStep): ScenarioStep[] {
  if (step.verb === "expect") return [];
  const { expect, ...rest } = step;
  if (rest.verb === "repeat") {
    const { steps, ...repeat } = rest.repeat;
    return [{ ...rest, repeat: { ...repeat, steps: steps.flatMap(withoutExpectations) } }];
  }
  const checksAnswer =
    expect !== undefined && ("status" in expect || "headers" in expect || "body" in expect);
  if (!checksAnswer) return [rest];
  return [{ ...rest, expect: { status: expect.status ?? { $any: true } } }];
}

/** Returns true if a step, or a step of its rounds, sends a request to the partner's system. */
export function asksPartner(step: ScenarioStep): boolean {
  return withRounds([step]).some(({ verb }) => verb === "request");
}

/** Returns the verb of a step as written. Undefined if the step has no verb or several. */
export function verbOf(step: { readonly [key: string]: unknown }): Verb | undefined {
  const found = verbsIn(step);
  return found.length === 1 ? found[0] : undefined;
}

/** Returns all the verbs of a step. `repeat`, and then `expect`, count only without another verb. */
export function verbsIn(step: { readonly [key: string]: unknown }): Verb[] {
  const [found, fields] = [verbs.slice(0, -2), verbs.slice(-2)].map((some) =>
    some.filter((verb) => Object.hasOwn(step, verb)),
  ) as [Verb[], Verb[]];
  return found.length === 0 ? fields.slice(0, 1) : found;
}

/** Describes a step in a few words: `call createSubscription`, `advance by P1D`. */
export function titleOf(step: ScenarioStep): string {
  switch (step.verb) {
    case "call":
      return `call ${step.call}`;
    case "request":
      return `request ${step.request}`;
    case "act":
      return `act ${step.act}`;
    case "plan":
      return `plan ${step.plan} ${[step.outcomes].flat().join(", ")}`;
    case "advance": {
      if (typeof step.advance === "string") return `advance by ${step.advance}`;
      return `advance ${Object.entries(step.advance).flat().join(" ")}`;
    }
    case "fault":
      return `fault ${String(step.fault["effect"])} on ${String(step.fault["on"])}`;
    case "receiver":
      return receiverTitle(step.receiver);
    case "repeat":
      return `repeat ${step.repeat.times} times`;
    case "expect":
      return `expect ${Object.keys(step.expect).join(", ")}`;
  }
}

function receiverTitle({ answers, always, holds, replies }: ReceiverStep["receiver"]): string {
  if (replies !== undefined) return `receiver replies ${answersText(replies)}`;
  if (holds === true) return "receiver holds webhooks back";
  return `receiver answers ${answersText(answers) || "as usual"}${always === true ? " repeatedly" : ""}`;
}

/** Describes answers in a few words: a status, or the reason why an answer is missing. */
function answersText(answers: unknown): string {
  return [answers ?? []].flat().map(answerText).join(", ");
}

function answerText(answer: unknown): string {
  if (!isRecord(answer)) return String(answer);
  if ("to" in answer) return `${answerText(answer["answer"])} to the webhook ${shown(answer["to"])}`;
  return shown(answer["status"] ?? answer["error"]);
}

/** The start of a scenario without `start`. It is a fixed working day, so every run has the same result. */
export const DEFAULT_START = "2026-11-23T09:00:00-03:00";
