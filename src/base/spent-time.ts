import type { Wall } from "./wall.ts";

/** The words for the things that a tool waits for. */
const WORDS = {
  rest: "waiting for rest",
  repeats: "waiting for repeats of failed calls",
  start: "starting your system",
  reset: "emptying your system",
  answers: "your system's answers",
  clock: "your system's clock",
} as const;

export type Wait = keyof typeof WORDS;

/** The time of a tool, and the share of each wait in it. The rest of the time is its own work. */
export interface TimeReport {
  readonly seconds: number;
  /** The number of runs. Absent if the tool has no runs. */
  readonly runs?: number;
  /** Each share is between 0 and 1, the largest first. `own` is the work of the tool itself. */
  readonly shares: Readonly<Partial<Record<Wait | "own", number>>>;
}

/** Adds up the time that a tool spends with each wait. If waits overlap, the time counts for the newest of them. */
export class SpentTime {
  readonly #wall: Wall;
  readonly #begunMs: number;
  readonly #spentMs = new Map<Wait, number>();
  readonly #open: { readonly wait: Wait }[] = [];
  #countedMs: number;

  constructor(wall: Wall) {
    this.#wall = wall;
    this.#begunMs = wall.now();
    this.#countedMs = this.#begunMs;
  }

  /** The time of all waits so far, in milliseconds. */
  get waitedMs(): number {
    this.#count();
    return Array.from(this.#spentMs.values()).reduce((sum, ms) => sum + ms, 0);
  }

  /** Does work, and counts its time as this wait. */
  async during<Value>(wait: Wait, work: () => Promise<Value>): Promise<Value> {
    this.#count();
    const own = { wait };
    this.#open.push(own);
    try {
      return await work();
    } finally {
      this.#count();
      this.#open.splice(this.#open.indexOf(own), 1);
    }
  }

  /** Counts time as this wait until the returned function is called. */
  begin(wait: Wait): () => void {
    let end = (): void => undefined;
    const open = new Promise<void>((resolve) => (end = resolve));
    void this.during(wait, () => open);
    return end;
  }

  /** Returns a wall whose pauses count as this wait. */
  wallOf(wait: Wait): Wall {
    return {
      ...this.#wall,
      pause: (ms, signal) => this.during(wait, () => this.#wall.pause(ms, signal)),
    };
  }

  /** Reports the time so far. */
  report(runs?: number): TimeReport {
    const waitedMs = this.waitedMs;
    const allMs = this.#countedMs - this.#begunMs;
    const spent = [...this.#spentMs, ["own", allMs - waitedMs] as const];
    return {
      seconds: Math.round(allMs / 100) / 10,
      ...(runs !== undefined && { runs }),
      shares: largestFirst(spent.map(([name, ms]) => [name, allMs === 0 ? 0 : ms / allMs])),
    };
  }

  #count(): void {
    const nowMs = this.#wall.now();
    const wait = this.#open.at(-1)?.wait;
    if (wait !== undefined) this.#spentMs.set(wait, (this.#spentMs.get(wait) ?? 0) + nowMs - this.#countedMs);
    this.#countedMs = nowMs;
  }
}

/** Joins the times of several reports. The shares are weighted by their times. Undefined without a report. */
export function joinedTime(times: readonly TimeReport[]): TimeReport | undefined {
  if (times.length === 0) return undefined;
  const seconds = times.reduce((sum, one) => sum + one.seconds, 0);
  const spent = new Map<string, number>();
  for (const { seconds: own, shares } of times)
    for (const [name, share] of Object.entries(shares)) spent.set(name, (spent.get(name) ?? 0) + own * share);
  const shares = Array.from(spent, ([name, own]) => [name, seconds === 0 ? 0 : own / seconds] as const);
  const counts = times.flatMap(({ runs }) => runs ?? []);
  return {
    seconds: Math.round(seconds * 10) / 10,
    ...(counts.length === times.length && { runs: counts.reduce((sum, one) => sum + one, 0) }),
    shares: largestFirst(shares),
  };
}

/** Returns the shares in whole percent, the largest first, without those below half a percent. */
function largestFirst(shares: readonly (readonly [name: string, share: number])[]): TimeReport["shares"] {
  return Object.fromEntries(
    shares
      .map(([name, share]) => [name, Math.round(share * 100) / 100] as const)
      .filter(([, share]) => share > 0)
      .toSorted(([, one], [, other]) => other - one),
  );
}

/** Says where the time of a tool went. */
export function timeSentence({ seconds, runs, shares }: TimeReport): string {
  const parts = Object.entries(shares).map(
    ([name, share]) => `${name === "own" ? "the sandbox" : WORDS[name as Wait]} ${Math.round(share * 100)} %`,
  );
  const each =
    runs === undefined || runs < 2 ? "" : ` for ${runs} runs (${(seconds / runs).toFixed(1)} s each)`;
  return `Time: ${seconds} s${each}: ${parts.join(", ")}.`;
}
