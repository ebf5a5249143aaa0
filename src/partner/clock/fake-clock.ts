import { AsyncResource } from "node:async_hooks";
import { createClock, type Clock } from "@sinonjs/fake-timers";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { fileURLToPath } from "node:url";
// Imported as a whole: an import of a name that an old Node lacks would fail before the check of its version.
import util, { promisify } from "node:util";

/** The clock as it is without any follower. */
export const real = {
  setTimeout,
  setInterval,
  clearTimeout,
  clearInterval,
  setImmediate,
  now: Date.now.bind(Date),
};

/** The longest delay of a timer. Node treats a longer delay as 1. */
const DELAY_MAX_MS = 2 ** 31 - 1;

/** Packages for the network or for test runs. Their timers stay on real time. */
const REAL_FILES = [
  "node_modules/{undici,vitest,@vitest/*,vite,vite-node,tinypool,jest-*,@jest/*,mocha,tsx,esbuild}/**",
];

export interface FakeClockOptions {
  /** Whether timers stay real. */
  readonly isDateOnly: boolean;
  /** Globs of the files whose timers stay real. */
  readonly realFiles: readonly string[];
  /** Called if the earliest timer may have changed. */
  readonly changed: () => void;
}

interface FakeTimer {
  refed: boolean;
  ref: () => FakeTimer;
  unref: () => FakeTimer;
  close?: () => FakeTimer;
}

/**
 * Replaces `Date`, the date of `performance.now()` and the timers of this thread. The new clock moves only on request,
 * or runs at an offset to the real clock. Timers that files of `realFiles`, Node itself or this package arm stay real.
 * A timer of at most one millisecond stays real too, because it means "as soon as possible".
 */
export class FakeClock {
  readonly #clock: Clock;
  readonly #options: FakeClockOptions;
  readonly #isReal: (file: string) => boolean;
  /** The pending timers by their ids. */
  readonly #pending = new Map<number, FakeTimer>();
  /** The ids of the timers that keep the process alive. */
  readonly #refed = new Set<number>();
  readonly #keepAlive = real.setInterval(() => undefined, DELAY_MAX_MS).unref();
  readonly #restore: (() => void)[] = [];
  #runsSince: number | undefined;
  #wakeUp: NodeJS.Timeout | undefined;
  #now: number;

  constructor(now: number, options: FakeClockOptions) {
    this.#options = options;
    this.#isReal = fileMatcher([...REAL_FILES, ...options.realFiles]);
    this.#now = now;
    this.#clock = createClock(now, Number.MAX_SAFE_INTEGER);
    Object.defineProperty(this.#clock, "now", {
      get: () => (this.#runsSince === undefined ? this.#now : this.#now + real.now() - this.#runsSince),
      set: (value: number) => {
        this.#now = value;
        if (this.#runsSince !== undefined) this.#runsSince = real.now();
      },
    });
    this.#install();
  }

  get now(): number {
    return this.#clock.now;
  }

  /** The earliest timer. Null without timers. */
  get next(): number | null {
    const { timerHeap } = this.#clock as unknown as {
      timerHeap?: { peek: () => { callAt: number } | undefined };
    };
    return timerHeap?.peek()?.callAt ?? null;
  }

  /** Sets the time. Overdue timers run first. If the time moves back, timers keep the rest of their delay. */
  async set(mode: "running" | "frozen", now: number): Promise<void> {
    this.#runsSince = undefined;
    if (now < this.#now) this.#clock.setSystemTime(now);
    else await this.runUntil(now - 1, async () => undefined);
    this.#now = now;
    if (mode === "running") this.#runsSince = real.now();
    this.#wake();
  }

  /** Runs the due timers until an instant, one after the other, and waits after each. Returns their number. */
  async runUntil(now: number, after: () => Promise<void>): Promise<number> {
    let ran = 0;
    for (let next = this.next; next !== null && next <= now; next = this.next) {
      this.#clock.next();
      ran++;
      await after();
    }
    if (this.now < now) this.#clock.now = now;
    return ran;
  }

  uninstall(): void {
    for (const restore of this.#restore) restore();
    real.clearInterval(this.#keepAlive);
    real.clearTimeout(this.#wakeUp);
    syncBuiltinESMExports();
  }

  /** Wakes a clock that runs when its next timer is due. */
  #wake(): void {
    real.clearTimeout(this.#wakeUp);
    const { next } = this;
    if (this.#runsSince === undefined || next === null) return;
    const delay = Math.min(Math.max(0, next - this.now), DELAY_MAX_MS);
    this.#wakeUp = real.setTimeout(() => {
      void this.runUntil(this.now, async () => undefined).then(() => this.#wake());
    }, delay);
    this.#wakeUp.unref();
  }

  #changed(): void {
    if (this.#refed.size > 0) this.#keepAlive.ref();
    else this.#keepAlive.unref();
    this.#wake();
    this.#options.changed();
  }

  /** Returns true if a timer is real: by its delay, or by the file of the caller of the function that calls this. */
  #isRealHere(delay: number): boolean {
    return !(delay > 1 && delay <= DELAY_MAX_MS) || this.#isRealCaller(3);
  }

  /** Returns true if the file of a caller keeps real time. `depth` counts from this method on. */
  #isRealCaller(depth: number): boolean {
    const caller = util.getCallSites(depth + 1)[depth];
    return caller !== undefined && this.#isReal(caller.scriptName);
  }

  #arm(
    kind: "setTimeout" | "setInterval",
    callback: (...args: unknown[]) => void,
    delay: number,
    args: unknown[],
  ) {
    const bound = AsyncResource.bind(callback);
    const timer = this.#clock[kind](() => {
      if (kind === "setTimeout") this.#drop(timer);
      try {
        bound(...args);
      } catch (error) {
        // It is thrown as from a real timer.
        real.setImmediate(() => {
          throw error;
        });
      }
    }, delay) as unknown as FakeTimer;
    const [ref, unref] = [timer.ref, timer.unref];
    const id = Number(timer);
    timer.ref = () => {
      if (this.#pending.has(id)) this.#refed.add(id);
      return this.#after(ref.call(timer));
    };
    timer.unref = () => {
      this.#refed.delete(id);
      return this.#after(unref.call(timer));
    };
    timer.close = () => {
      this.#clear(timer);
      return timer;
    };
    Object.defineProperty(timer, Symbol.dispose, { value: timer.close });
    this.#pending.set(id, timer);
    this.#refed.add(id);
    return this.#after(timer);
  }

  #after<T>(value: T): T {
    this.#changed();
    return value;
  }

  #drop(timer: FakeTimer): void {
    this.#pending.delete(Number(timer));
    this.#refed.delete(Number(timer));
    this.#changed();
  }

  #clear(timer: unknown): void {
    this.#clock.clearTimeout(timer as never);
    const pending = this.#pending.get(Number(timer));
    if (pending !== undefined) this.#drop(pending);
  }

  #wait(delay: number, value: unknown, { signal, ref = true }: { signal?: AbortSignal; ref?: boolean } = {}) {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#clear(timer);
        const error = new Error("The operation was aborted", { cause: signal?.reason });
        reject(Object.assign(error, { name: "AbortError", code: "ABORT_ERR" }));
      };
      const timer = this.#arm(
        "setTimeout",
        () => {
          signal?.removeEventListener("abort", abort);
          resolve(value);
        },
        delay,
        [],
      );
      if (!ref) timer.unref();
      if (signal?.aborted === true) abort();
      else signal?.addEventListener("abort", abort, { once: true });
    });
  }

  #install(): void {
    const { Date: FakeDate } = this.#clock as unknown as { Date: DateConstructor };
    this.#replace(globalThis, "Date", FakeDate);
    const { performance } = globalThis;
    const realPerformanceNow = performance.now.bind(performance);
    this.#replace(performance, "now", () =>
      this.#isRealCaller(2) ? realPerformanceNow() : this.now - performance.timeOrigin,
    );
    if (this.#options.isDateOnly) return;
    const require = createRequire(import.meta.url);
    const timers = require("node:timers") as Record<string, unknown>;
    const promises = require("node:timers/promises") as Record<string, unknown> & {
      scheduler: Record<string, unknown>;
    };
    const realWait = promises["setTimeout"] as (...args: unknown[]) => Promise<unknown>;
    const realTicks = promises["setInterval"] as (...args: unknown[]) => AsyncIterable<unknown>;
    const wait = (delay = 1, value?: unknown, options?: object): Promise<unknown> =>
      this.#isRealHere(delay) ? realWait(delay, value, options) : this.#wait(delay, value, options);
    const ticks = (delay = 1, value?: unknown, options?: object): AsyncIterable<unknown> =>
      this.#isRealHere(delay) ? realTicks(delay, value, options) : this.#ticks(delay, value, options);
    const arming = (kind: "setTimeout" | "setInterval") => {
      const fake = (callback: (...args: unknown[]) => void, delay?: unknown, ...args: unknown[]): unknown =>
        typeof callback !== "function" || this.#isRealHere(Number(delay ?? 1))
          ? real[kind](callback, delay as number, ...args)
          : this.#arm(kind, callback, Math.trunc(Number(delay)), args);
      return Object.defineProperty(fake, "name", { value: kind });
    };
    const clear = (timer?: unknown): void => {
      const isFake =
        typeof timer === "object" && timer !== null && this.#pending.get(Number(timer)) === timer;
      const isFakeId = !isFake && Number(timer) >= FAKE_IDS;
      if (isFake || isFakeId) this.#clear(timer);
      else real.clearTimeout(timer as never);
    };
    const fakes = {
      setTimeout: Object.assign(arming("setTimeout"), { [promisify.custom]: wait }),
      setInterval: arming("setInterval"),
      clearTimeout: clear,
      clearInterval: clear,
    };
    for (const [name, fake] of Object.entries(fakes)) {
      this.#replace(globalThis, name, fake);
      this.#replace(timers, name, fake);
    }
    this.#replace(promises, "setTimeout", wait);
    this.#replace(promises, "setInterval", ticks);
    this.#replace(promises.scheduler, "wait", (delay: number, options?: object) =>
      this.#isRealHere(delay) ? realWait(delay, undefined, options) : this.#wait(delay, undefined, options),
    );
    syncBuiltinESMExports();
  }

  async *#ticks(delay: number, value: unknown, options: object | undefined): AsyncGenerator {
    for (;;) yield await this.#wait(delay, value, options);
  }

  #replace(target: object, name: string, value: unknown): void {
    const before = Object.getOwnPropertyDescriptor(target, name);
    Object.defineProperty(target, name, {
      value,
      configurable: true,
      writable: true,
      enumerable: before?.enumerable ?? false,
    });
    this.#restore.push(() => {
      if (before === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, before);
    });
  }
}

/** The first id of fake timers. */
const FAKE_IDS = 1e12;

const OWN_FILE = fileURLToPath(import.meta.url);

/** The modules of this package: the sources, or the built files. */
const OWN_FOLDER = /^(.*\/(?:src|dist)\/)/.exec(OWN_FILE.replaceAll("\\", "/"))?.[1] ?? OWN_FILE;

/**
 * Makes a test for files of Node or of this package, and for files that match one of the globs. A glob may begin
 * anywhere in a path.
 */
function fileMatcher(globs: readonly string[]): (file: string) => boolean {
  const patterns = globs.map(patternOf);
  const known = new Map<string, boolean>();
  return (file) => {
    const match = known.get(file) ?? isMatch(file);
    known.set(file, match);
    return match;
  };

  function isMatch(file: string): boolean {
    const path = (file.startsWith("file://") ? fileURLToPath(file) : file).replaceAll("\\", "/");
    return (
      path.startsWith("node:") ||
      path.startsWith(OWN_FOLDER) ||
      patterns.some((pattern) => pattern.test(path))
    );
  }
}

const GLOB_PARTS: Readonly<Record<string, string>> = {
  "**/": "(?:.*/)?",
  "**": ".*",
  "*": "[^/]*",
  "?": "[^/]",
  "{": "(?:",
  "}": ")",
  ",": "|",
};

function patternOf(glob: string): RegExp {
  const text = glob
    .replace(/^\.?\//, "")
    .replaceAll(/\*\*\/|\*\*|[*?{},]|[.+^$()|[\]\\]/g, (part) => GLOB_PARTS[part] ?? `\\${part}`);
  return new RegExp(`(?:^|/)${text}$`);
}
