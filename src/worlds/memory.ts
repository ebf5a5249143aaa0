import type { NodeGCPerformanceDetail, PerformanceEntry } from "node:perf_hooks";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";

/** The share of the heap that what is kept may take: what is left is for the work itself. */
const SHARE_MAX = 0.85;

const MEGABYTE = 1_048_576;

/** Of the limit that is told, this much is for what is young, and never for what is kept. */
const YOUNG_BYTES = 192 * MEGABYTE;

/**
 * How much of this process's memory is taken by what it keeps: records, journals, snapshots, deliveries. It is
 * looked at after each great collection, when nothing else is left in it.
 */
export class Memory {
  #observer: PerformanceObserver | undefined;
  #watchers = 0;
  #isFull = false;
  /** A collection that had begun before something was let go of still counts it. */
  #isOutdated = false;

  /** Whether nothing more should be kept: past this a process ends in the middle of its work. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** What may be kept and worked with, in megabytes. */
  get limitMb(): number {
    return Math.round(limitBytes() / MEGABYTE);
  }

  /** Looks on until the function it gives is called. */
  watch(): () => void {
    this.#watchers++;
    this.#observer ??= new PerformanceObserver((list) => {
      if (list.getEntries().some(isGreat)) this.#look();
    });
    this.#observer.observe({ entryTypes: ["gc"] });
    return () => {
      if (--this.#watchers > 0) return;
      this.#observer?.disconnect();
      this.#isFull = false;
    };
  }

  /** Something was let go of: until it was looked at anew there is room. */
  freed(): void {
    this.#isFull = false;
    this.#isOutdated = true;
  }

  #look(): void {
    if (this.#isOutdated) {
      this.#isOutdated = false;
      return;
    }
    this.#isFull = getHeapStatistics().used_heap_size > limitBytes() * SHARE_MAX;
  }
}

function limitBytes(): number {
  return getHeapStatistics().heap_size_limit - YOUNG_BYTES;
}

/** Whether a collection looked at all there is, and not only at what is young. */
function isGreat(entry: PerformanceEntry): boolean {
  const { kind } = (entry as { detail?: NodeGCPerformanceDetail }).detail ?? {};
  return kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

/** The memory of this process, of which there is one. */
export const memory = new Memory();
