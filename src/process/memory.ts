import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const MEGABYTE = 1_048_576;

/** The share of the heap from which V8 ends a process whose garbage collections free little. */
const SHARE_MAX = 0.8;

/** The memory below that share for the work itself. A body of 1 MiB can be parsed to some fifty times as much. */
const WORK_BYTES = 96 * MEGABYTE;

/** The share that a small heap keeps free for the work: otherwise nothing could be stored there. */
const WORK_SHARE_MAX = 0.1;

/** How much may be allocated since the last measurement before the next one is made on purpose. */
const UNMEASURED_BYTES = 24 * MEGABYTE;

/** The part of the heap limit that is used for young objects and never for what is kept. */
const YOUNG_BYTES = 192 * MEGABYTE;

/**
 * How much of this process's memory is taken by what it keeps: records, journals, snapshots, deliveries. Where what is
 * used could be too much, garbage is collected to find out.
 */
export class Memory {
  #watchers = 0;
  /** What was used after the last collection, when nothing but what is kept was left. */
  #measuredBytes = 0;

  /** Whether nothing more should be kept: past this a process ends in the middle of its work. */
  get isFull(): boolean {
    return this.#watchers > 0 && this.#keepsMoreThan(keptBytesMax());
  }

  /**
   * True if the loaded worlds leave too little memory to work with. That is more than may be kept: the worlds
   * of one process fit into the next process. It is less than the share at which V8 ends a process.
   */
  get isTooFullToLoad(): boolean {
    const half = (SHARE_MAX * limitBytes() - keptBytesMax()) / 2;
    return this.#keepsMoreThan(keptBytesMax() + half, half);
  }

  /** How many bytes may be kept. */
  get keptBytesMax(): number {
    return keptBytesMax();
  }

  /** What may be kept and worked with, in megabytes. */
  get limitMb(): number {
    return Math.round(limitBytes() / MEGABYTE);
  }

  /** Watches it until the function it returns is called: before, it is never full. */
  watch(): () => void {
    this.#watchers++;
    return () => void this.#watchers--;
  }

  /** Memory was freed: what was measured before is no measure any more. */
  freed(): void {
    this.#measuredBytes = 0;
  }

  #keepsMoreThan(bytes: number, unmeasuredBytes = UNMEASURED_BYTES): boolean {
    if (usedBytes() <= bytes) return false;
    if (usedBytes() > this.#measuredBytes + unmeasuredBytes) {
      collectGarbage();
      this.#measuredBytes = usedBytes();
    }
    return this.#measuredBytes > bytes;
  }
}

function usedBytes(): number {
  return getHeapStatistics().used_heap_size;
}

function keptBytesMax(): number {
  const limit = limitBytes();
  return limit * SHARE_MAX - Math.min(WORK_BYTES, limit * WORK_SHARE_MAX);
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

/** The memory of this process, of which there is one. */
export const memory = new Memory();
