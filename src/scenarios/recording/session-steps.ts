import type {
  RecordedAnswer,
  RecordedRequest,
  SessionAttempt,
  SessionItem,
} from "../../server/control/recorded-session.ts";
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
  | { readonly kind: "answers"; readonly answers: readonly RecordedAnswer[] }
  | { readonly kind: "hold" }
  | {
      readonly kind: "replies";
      /** Each answer has the position of its webhook among the webhooks that are held back, counted from 1. */
      readonly replies: readonly { readonly to: number; readonly answer: RecordedAnswer }[];
    };

/** Steps in the order of discovery. Undefined if the work may be interrupted now. */
type Steps = Generator<SessionStep | undefined, void>;

/**
 * Returns the steps of a session. If webhooks were answered one after another before anything else happened, the
 * answers are scripted before the step, and the step waits for them as in every scenario. If something happened in
 * between, the receiver holds its answers back and replies at the right moment.
 */
export function* sessionStepsOf(
  items: Iterable<SessionItem>,
  span: { readonly start: number; readonly now: number },
): Steps {
  const builder = new StepBuilder(span.start);
  for (const group of groupsOf(items)) {
    if (group === undefined) yield undefined;
    else yield* builder.add(group);
  }
  yield* builder.pass(span.now);
}

/** Items that belong together: from one item to the moment when no webhook is in flight. */
type Group = readonly SessionItem[];

/**
 * Groups in the order of discovery. Undefined if the work may be interrupted now, because one group may be a whole
 * session.
 */
function* groupsOf(items: Iterable<SessionItem>): Generator<Group | undefined> {
  let group: SessionItem[] = [];
  const inFlight = new Set<string>();
  for (const item of items) {
    yield undefined;
    const before = group.at(-1);
    // Webhooks that become due by a request, or by the end of another attempt, are opened at once, at the same instant.
    const follows = item.kind === "opened" && before?.kind !== "advanced" && before?.at === item.at;
    if (before !== undefined && inFlight.size === 0 && !follows) {
      yield group;
      group = [];
    }
    group.push(item);
    if (item.kind === "opened") for (const { name } of item.attempts) inFlight.add(name);
    if (item.kind === "answered") inFlight.delete(item.name);
  }
  if (group.length > 0) yield group;
}

class StepBuilder {
  #time: number;
  /** A move of the clock that may go on. */
  #passing: { to: number; answers: RecordedAnswer[] } | undefined;

  constructor(start: number) {
    this.#time = start;
  }

  *add(group: Group): Steps {
    const [first] = group;
    if (first === undefined) return;
    if (first.kind === "advanced") return yield* this.#advance(first);
    if (!isOrderly(group)) return yield* this.#addHeld(group);
    const answers = answersIn(group);
    if (first.kind === "request") {
      yield* this.pass(first.at);
      yield* script(answers);
      yield { kind: "request", request: first.request };
      return;
    }
    const passing = (this.#passing ??= { to: first.at, answers: [] });
    passing.to = first.at;
    for (const answer of answers) passing.answers.push(answer);
    yield undefined;
  }

  /** Moves the clock to an instant. Everything due on the way happens. */
  *pass(to: number, written?: unknown): Steps {
    const { answers } = this.#passing ?? { answers: [] };
    const isMove = to > this.#time || this.#passing !== undefined;
    this.#passing = undefined;
    if (!isMove) return;
    yield* script(answers);
    yield { kind: "move", to, wait: true, ...(written !== undefined && { written }) };
    this.#time = to;
  }

  *#advance({ at, from, asked }: SessionItem & { kind: "advanced" }): Steps {
    yield* this.pass(at, from === this.#time ? writtenIn(asked) : undefined);
  }

  /** Adds a group with late or unordered answers. Each answer is a reply at its own moment. */
  *#addHeld(group: Group): Steps {
    const [first] = group;
    if (this.#passing !== undefined) yield* this.pass(this.#passing.to);
    if (first?.kind === "request") yield* this.pass(first.at);
    yield { kind: "hold" };
    const held = new HeldWebhooks();
    let replies: { readonly to: number; readonly answer: RecordedAnswer }[] = [];
    for (const item of group) {
      const isMove = item.at > this.#time;
      if (replies.length > 0 && (isMove || item.kind === "request")) {
        yield { kind: "replies", replies };
        replies = [];
      }
      if (isMove) yield { kind: "move", to: item.at, wait: false };
      this.#time = Math.max(this.#time, item.at);
      if (item.kind === "request") yield { kind: "request", request: item.request };
      if (item.kind === "opened") held.opened(item.attempts);
      yield undefined;
      if (item.kind !== "answered") continue;
      const to = held.answered(item.name);
      if (to !== undefined) replies.push({ to, answer: item.result });
    }
    if (replies.length > 0) yield { kind: "replies", replies };
    yield { kind: "answers", answers: [] };
  }
}

/** Scripts answers. Default answers at the end are left out. */
function* script(answers: readonly RecordedAnswer[]): Steps {
  for (let count = answers.length; count > 0; count--) {
    yield undefined;
    if (isUsual(scriptedAnswer(answers[count - 1]!))) continue;
    yield { kind: "answers", answers: answers.slice(0, count) };
    return;
  }
}

/** The webhooks that the receiver holds back, the oldest first. */
class HeldWebhooks {
  readonly #waiting: string[] = [];
  /** The webhooks that are sent only after a webhook before them was answered: copies, and those about one object. */
  readonly #behind = new Map<string, readonly string[]>();
  /** The last opened webhook of each object. */
  readonly #last = new Map<string, string>();

  opened(attempts: readonly SessionAttempt[]): void {
    const held = attempts.filter(({ waits }) => waits);
    const names = held.map(({ name }) => name);
    const [first] = held;
    if (first === undefined) return;
    const before = this.#last.get(first.objectId);
    this.#last.set(first.objectId, names.at(-1)!);
    if (before !== undefined && this.#isUnanswered(before)) this.#behind.set(before, names);
    else this.#arrive(names);
  }

  #isUnanswered(name: string): boolean {
    return this.#waiting.includes(name) || [...this.#behind.values()].some((names) => names.includes(name));
  }

  /** Returns the webhook's position among the held webhooks, counted from 1. Undefined if it never arrived. */
  answered(name: string): number | undefined {
    const index = this.#waiting.indexOf(name);
    if (index < 0) return undefined;
    this.#waiting.splice(index, 1);
    const next = this.#behind.get(name) ?? [];
    this.#behind.delete(name);
    this.#arrive(next);
    return index + 1;
  }

  #arrive([first, ...rest]: readonly string[]): void {
    if (first === undefined) return;
    this.#waiting.push(first);
    if (rest.length > 0) this.#behind.set(first, rest);
  }
}

/** Returns true if a run that waits for its webhooks has the same result: no event in between, answered in order. */
function isOrderly(group: Group): boolean {
  const [first] = group;
  const opened: string[] = [];
  let answered = 0;
  return group.every((item, index) => {
    if (item.at !== first?.at) return false;
    if (item.kind === "opened") opened.push(...item.attempts.map(({ name }) => name));
    if (item.kind === "answered") return opened[answered++] === item.name;
    return item.kind === "opened" || index === 0;
  });
}

function answersIn(group: Group): RecordedAnswer[] {
  const reaching = new Set(
    group.flatMap((item) =>
      item.kind === "opened" ? item.attempts.filter(({ reaches }) => reaches).map(({ name }) => name) : [],
    ),
  );
  return group.flatMap((item) => (item.kind === "answered" && reaching.has(item.name) ? [item.result] : []));
}

/** Returns an advance in the form of the request: `{by}`, `{to}` or `{until}`. */
function writtenIn(asked: string | undefined): unknown {
  if (asked === undefined) return undefined;
  const { by, to, until } = JSON.parse(asked) as { by?: string; to?: string; until?: string };
  return by ?? (to === undefined ? { until } : { to });
}
