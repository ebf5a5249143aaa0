import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const MEGABYTE = 1_048_576;

/** The used share of the heap. Above it V8 ends a process if its garbage collections free little. */
const SHARE_MAX = 0.8;

/**
 * The memory below that share that stays free for the work. The parsed form of a 1 MiB body can take fifty times as
 * much.
 */
const WORK_BYTES = 96 * MEGABYTE;

/** The largest share of a small heap that stays free for the work. The rest can be used for storing. */
const WORK_SHARE_MAX = 0.1;

/** The memory that may be allocated after a measurement. Then the next measurement is forced. */
const UNMEASURED_BYTES = 24 * MEGABYTE;

/** The part of the heap limit for young objects. Stored data never uses it. */
const YOUNG_BYTES = 192 * MEGABYTE;

/**
 * Measures the memory for stored data: records, journals, snapshots, deliveries. If the used memory could be too much,
 * garbage is collected first, so that only stored data counts.
 */
class Memory {
  #watchers = 0;
  /** The used memory after the last collection. Only stored data was left. */
  #measuredBytes = 0;

  /** True if nothing more may be stored. With more, the process could end in the middle of its work. */
  get isFull(): boolean {
    return this.#watchers > 0 && this.#keepsMoreThan(keptBytesMax());
  }

  /**
   * True if the loaded worlds leave too little memory for the work. This limit is higher than `keptBytesMax`, so the
   * worlds of one process fit into the next process. It is lower than the limit of V8, which would end the process.
   */
  get isTooFullToLoad(): boolean {
    const half = (SHARE_MAX * limitBytes() - keptBytesMax()) / 2;
    return this.#keepsMoreThan(keptBytesMax() + half, half);
  }

  /** The number of bytes that may be stored. */
  get keptBytesMax(): number {
    return keptBytesMax();
  }

  /** The memory for stored data and for the work, in megabytes. */
  get limitMb(): number {
    return Math.round(limitBytes() / MEGABYTE);
  }

  /** Starts to watch the memory. Call the returned function to stop. Unwatched memory is never full. */
  watch(): () => void {
    this.#watchers++;
    return () => void this.#watchers--;
  }

  /** Forgets the last measurement, because memory was freed since. */
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

/** The heap limit that V8 started with. It is read once. */
let heapLimitBytes: number | undefined;

function limitBytes(): number {
  heapLimitBytes ??= getHeapStatistics().heap_size_limit;
  return heapLimitBytes - YOUNG_BYTES;
}

/** The memory of this process. All modules share it. */
export const memory = new Memory();
