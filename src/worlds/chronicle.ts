import type { Inbound } from "./inbound.ts";
import type { JournalEntry } from "../engine/journal.ts";
import type { Onlookers } from "./run.ts";
import type { RecordingMark } from "./recorder.ts";
import type { SimulationImage } from "../engine/simulation.ts";
import { Coverage } from "./coverage.ts";
import { inbound } from "./inbound.ts";
import { Recorder } from "./recorder.ts";

/** The recording of a world that goes on from a state whose past nobody wrote down. */
export const UNKNOWN_PAST: RecordingMark = { items: [], isFull: false, isWhole: false };

/** What is written down of a world beside its journal: what reached it, and what it went through. */
export class Chronicle {
  readonly #marks = new WeakMap<SimulationImage, RecordingMark>();
  #recorder = new Recorder();
  #coverage = new Coverage();
  readonly #watchers = new Set<(news: "entered" | "begun") => void>();
  readonly #mourners = new Set<() => void>();

  /** What the world has gone through since its start or its last reset. */
  get coverage(): Coverage {
    return this.#coverage;
  }

  /** Begins the chapter of another life: from nothing, or from what was recorded up to its image. */
  begin(past?: RecordingMark): Onlookers {
    if (past === undefined) this.#coverage = new Coverage();
    const recorder = new Recorder(past);
    this.#recorder = recorder;
    const coverage = this.#coverage;
    for (const watcher of this.#watchers) watcher("begun");
    return {
      watcher: this.#recorder,
      consult: (what) => coverage.consulted(what),
      entered: (entry: JournalEntry) => {
        coverage.entered(entry);
        // What a life of before still does is no news.
        if (recorder === this.#recorder) for (const watcher of this.#watchers) watcher("entered");
      },
    };
  }

  /** Tells of every entry as it is made, and of every other life that begins, until the function it gives is called. */
  watch(watcher: (news: "entered" | "begun") => void): () => void {
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
    };
  }

  /** Whether somebody looks on. */
  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  /** Tells once that the world is no more, unless the function it gives is called before. */
  whenOver(mourner: () => void): () => void {
    this.#mourners.add(mourner);
    return () => {
      this.#mourners.delete(mourner);
    };
  }

  /** The world is no more. */
  end(): void {
    for (const mourner of this.#mourners) mourner();
    this.#mourners.clear();
    this.#watchers.clear();
  }

  /** Takes down the request that the world now works for, if it works for one. */
  requested(at: number, request: Inbound | undefined = inbound.getStore()): void {
    if (request !== undefined) this.#recorder.requested(at, request);
  }

  /** The recorder of this life notes a move of the clock, also when another life has begun meanwhile. */
  mover(): (at: number, from: number) => void {
    const recorder = this.#recorder;
    const request = inbound.getStore();
    return (at, from) => recorder.advanced(at, from, request);
  }

  /** What was recorded up to now. */
  mark(): RecordingMark {
    return this.#recorder.mark();
  }

  /** Remembers what was recorded up to an image. */
  keep(image: SimulationImage): SimulationImage {
    this.#marks.set(image, this.mark());
    return image;
  }

  markOf(image: SimulationImage): RecordingMark {
    return this.#marks.get(image) ?? UNKNOWN_PAST;
  }
}
