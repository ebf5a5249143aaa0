import type { RecordedRequest, SessionAttempt, SessionItem } from "./session.ts";
import type { ScriptedAnswer, ScriptedReply } from "../receiver.ts";
import { isUsual, scriptedAnswer } from "./answers.ts";

/** One step of a recording, before it is written as a step of a scenario. */
export type SessionStep =
  | { readonly kind: "request"; readonly request: RecordedRequest }
  | {
      readonly kind: "move";
      readonly to: number;
      /** The move in the form of the request, if that has the same effect. */
      readonly written?: unknown;
      readonly wait: boolean;
    }
  | { readonly kind: "answers"; readonly answers: readonly ScriptedAnswer[] }
  | { readonly kind: "hold" }
  | { readonly kind: "replies"; readonly replies: ScriptedReply[] };

/**
 * The steps of a session. Where webhooks were answered one after another before anything else happened, the answers
 * are scripted before the step and the step waits for them, as it does in every scenario. Where something happened in
 * between, the receiver holds its answers back and replies at the right moment.
 */
export function sessionStepsOf(
  items: readonly SessionItem[],
  span: { start: number; now: number },
): SessionStep[] {
  const builder = new StepBuilder(span.start);
  for (const group of groupsOf(items)) builder.add(group);
  builder.pass(span.now);
  return builder.steps;
}

/** What belongs together: from one item to the moment when no webhook is in flight any more. */
type Group = readonly SessionItem[];

function groupsOf(items: readonly SessionItem[]): Group[] {
  const groups: SessionItem[][] = [];
  const inFlight = new Set<string>();
  let isOpen = false;
  for (const item of items) {
    const last = groups.at(-1);
    // What a request, or the end of another attempt, makes due is opened at once, at the same instant.
    const before = last?.at(-1);
    const follows = item.kind === "opened" && before?.kind !== "advanced" && before?.at === item.at;
    if (last !== undefined && (isOpen || follows)) last.push(item);
    else groups.push([item]);
    if (item.kind === "opened") for (const { name } of item.attempts) inFlight.add(name);
    if (item.kind === "answered") inFlight.delete(item.name);
    isOpen = inFlight.size > 0;
  }
  return groups;
}

class StepBuilder {
  readonly steps: SessionStep[] = [];
  #time: number;
  /** A move of the clock that may go on. */
  #passing: { to: number; answers: ScriptedAnswer[] } | undefined;

  constructor(start: number) {
    this.#time = start;
  }

  add(group: Group): void {
    const [first] = group;
    if (first === undefined) return;
    if (first.kind === "advanced") return this.#advance(first);
    if (!isOrderly(group)) return this.#addHeld(group);
    const answers = answersIn(group);
    if (first.kind === "request") {
      this.pass(first.at);
      this.#script(answers);
      this.steps.push({ kind: "request", request: first.request });
      return;
    }
    const passing = (this.#passing ??= { to: first.at, answers: [] });
    passing.to = first.at;
    passing.answers.push(...answers);
  }

  /** Moves the clock to an instant; what was due on the way happens. */
  pass(to: number, written?: unknown): void {
    const { answers } = this.#passing ?? { answers: [] };
    const isMove = to > this.#time || this.#passing !== undefined;
    this.#passing = undefined;
    if (!isMove) return;
    this.#script(answers);
    this.steps.push({ kind: "move", to, wait: true, ...(written !== undefined && { written }) });
    this.#time = to;
  }

  #advance({ at, from, asked }: SessionItem & { kind: "advanced" }): void {
    this.pass(at, from === this.#time ? writtenIn(asked) : undefined);
  }

  #script(answers: readonly ScriptedAnswer[]): void {
    const last = answers.findLastIndex((answer) => !isUsual(answer));
    if (last >= 0) this.steps.push({ kind: "answers", answers: answers.slice(0, last + 1) });
  }

  /** Adds a group in which answers came late or out of order: each is a reply at its own moment. */
  #addHeld(group: Group): void {
    const [first] = group;
    if (this.#passing !== undefined) this.pass(this.#passing.to);
    if (first?.kind === "request") this.pass(first.at);
    this.steps.push({ kind: "hold" });
    const held = new HeldWebhooks();
    for (const item of group) {
      if (item.at > this.#time) this.steps.push({ kind: "move", to: item.at, wait: false });
      this.#time = Math.max(this.#time, item.at);
      if (item.kind === "request") this.steps.push({ kind: "request", request: item.request });
      if (item.kind === "opened") held.opened(item.attempts);
      if (item.kind !== "answered") continue;
      const place = held.answered(item.name);
      if (place !== undefined) this.#reply(scriptedAnswer(item.result), place);
    }
    this.steps.push({ kind: "answers", answers: [] });
  }

  #reply(answer: ScriptedAnswer, to: number): void {
    const reply: ScriptedReply = to === 1 ? answer : { to, answer };
    const last = this.steps.at(-1);
    if (last?.kind === "replies") last.replies.push(reply);
    else this.steps.push({ kind: "replies", replies: [reply] });
  }
}

/** The webhooks that the receiver holds back, the oldest first. */
class HeldWebhooks {
  readonly #waiting: string[] = [];
  /** Copies that are sent only after the webhook before them was answered. */
  readonly #behind = new Map<string, readonly string[]>();

  opened(attempts: readonly SessionAttempt[]): void {
    this.#arrive(attempts.filter(({ waits }) => waits).map(({ name }) => name));
  }

  /** The position at which the webhook was held, counted from 1; undefined for one that never arrived. */
  answered(name: string): number | undefined {
    const index = this.#waiting.indexOf(name);
    if (index < 0) return undefined;
    this.#waiting.splice(index, 1);
    this.#arrive(this.#behind.get(name) ?? []);
    return index + 1;
  }

  #arrive([first, ...rest]: readonly string[]): void {
    if (first === undefined) return;
    this.#waiting.push(first);
    this.#behind.set(first, rest);
  }
}

/** Whether a run that waits for its webhooks has the same result: nothing in between, answered in order. */
function isOrderly(group: Group): boolean {
  const [first] = group;
  const inFlight: string[] = [];
  return group.every((item, index) => {
    if (item.at !== first?.at) return false;
    if (item.kind === "opened") inFlight.push(...item.attempts.map(({ name }) => name));
    if (item.kind === "answered") return inFlight.shift() === item.name;
    return item.kind === "opened" || index === 0;
  });
}

function answersIn(group: Group): ScriptedAnswer[] {
  const reaching = new Set(
    group.flatMap((item) =>
      item.kind === "opened" ? item.attempts.filter(({ reaches }) => reaches).map(({ name }) => name) : [],
    ),
  );
  return group.flatMap((item) =>
    item.kind === "answered" && reaching.has(item.name) ? [scriptedAnswer(item.result)] : [],
  );
}

/** An advance in the form of the request: `{by}`, `{to}` or `{until}`. */
function writtenIn(asked: string | undefined): unknown {
  if (asked === undefined) return undefined;
  const { by, to, until } = JSON.parse(asked) as { by?: string; to?: string; until?: string };
  return by ?? (to === undefined ? { until } : { to });
}
