import type { NodeGCPerformanceDetail, PerformanceEntry } from "node:perf_hooks";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";

/** The share of the heap that what is kept may take: what is left is for the work itself. */
const SHARE_MAX = 0.85;

const MEGABYTE = 1_048_576;

/** The part of the heap limit that is used for young objects and never for what is kept. */
const YOUNG_BYTES = 192 * MEGABYTE;

/**
 * How much of this process's memory is taken by what it keeps: records, journals, snapshots, deliveries. It is
 * measured after each major collection, when nothing else is left in it.
 */
export class Memory {
  #observer: PerformanceObserver | undefined;
  #watchers = 0;
  #isFull = false;
  /** A collection that began before memory was freed still counts it. */
  #isOutdated = false;

  /** Whether nothing more should be kept: past this a process ends in the middle of its work. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** What may be kept and worked with, in megabytes. */
  get limitMb(): number {
    return Math.round(limitBytes() / MEGABYTE);
  }

  /** Measures until the function it returns is called. */
  watch(): () => void {
    this.#watchers++;
    this.#observer ??= new PerformanceObserver((list) => {
      if (list.getEntries().some(isMajor)) this.#measure();
    });
    this.#observer.observe({ entryTypes: ["gc"] });
    return () => {
      if (--this.#watchers > 0) return;
      this.#observer?.disconnect();
      this.#isFull = false;
    };
  }

  /** Memory was freed: until the next measurement there is room. */
  freed(): void {
    this.#isFull = false;
    this.#isOutdated = true;
  }

  #measure(): void {
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

/** Whether a collection covered the whole heap, and not only young objects. */
function isMajor(entry: PerformanceEntry): boolean {
  const { kind } = (entry as { detail?: NodeGCPerformanceDetail }).detail ?? {};
  return kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

/** The memory of this process, of which there is one. */
export const memory = new Memory();
