import {
  type NodeGCPerformanceDetail,
  type PerformanceEntry,
  PerformanceObserver,
  constants,
} from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const MEGABYTE = 1_048_576;

/** The share of the heap that what is kept may take: what is left is for the work itself. */
const SHARE_MAX = 0.85;

/** What a heap keeps free for the work itself: a body of 1 MiB can be parsed to some fifty times as much. */
const WORK_BYTES = 96 * MEGABYTE;

/** The share that a small heap keeps free at most: otherwise nothing could be stored there. */
const WORK_SHARE_MAX = 0.3;

/** How much may be allocated since the last measurement before the next one is made on purpose. */
const UNMEASURED_BYTES = 24 * MEGABYTE;

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
  #measuredBytes = 0;

  /**
   * Whether nothing more should be kept: past this a process ends in the middle of its work. V8 collects rarely in a
   * heap that grows fast, so where what is used could be too much, garbage is collected to find out.
   */
  get isFull(): boolean {
    if (this.#watchers === 0 || this.#isFull) return this.#isFull;
    this.#measureAbove(keptBytesMax());
    return this.#isFull;
  }

  /**
   * Whether what was loaded takes so much that too little is left to work with. That is more than may be kept: what
   * was kept in the memory of one process fits into that of the next one, where more of it can be removed. In a small
   * heap it is less than the 80 % from which V8 ends a process that collects garbage in vain.
   */
  get isTooFullToLoad(): boolean {
    const reserved = limitBytes() - keptBytesMax();
    const max = keptBytesMax() + reserved / 4;
    this.#measureAbove(max, reserved / 4);
    return this.#measuredBytes > max && getHeapStatistics().used_heap_size > max;
  }

  /** How many bytes may be kept. */
  get keptBytesMax(): number {
    return keptBytesMax();
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
    this.#measuredBytes = 0;
  }

  #measureAbove(bytes: number, unmeasuredBytes = UNMEASURED_BYTES): void {
    const used = getHeapStatistics().used_heap_size;
    if (used <= bytes || used <= this.#measuredBytes + unmeasuredBytes) return;
    collectGarbage();
    this.#isOutdated = false;
    this.#measure();
  }

  #measure(): void {
    if (this.#isOutdated) {
      this.#isOutdated = false;
      return;
    }
    this.#measuredBytes = getHeapStatistics().used_heap_size;
    this.#isFull = this.#measuredBytes > keptBytesMax();
  }
}

function keptBytesMax(): number {
  const limit = limitBytes();
  return Math.min(limit * SHARE_MAX, limit - Math.min(WORK_BYTES, limit * WORK_SHARE_MAX));
}

let collect: (() => void) | undefined;

function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}

/** What V8 was started with. */
let heapLimitBytes: number | undefined;

function limitBytes(): number {
  heapLimitBytes ??= getHeapStatistics().heap_size_limit;
  return heapLimitBytes - YOUNG_BYTES;
}

/** Whether a collection covered the whole heap, and not only young objects. */
function isMajor(entry: PerformanceEntry): boolean {
  const { kind } = (entry as { detail?: NodeGCPerformanceDetail }).detail ?? {};
  return kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

/** The memory of this process, of which there is one. */
export const memory = new Memory();
