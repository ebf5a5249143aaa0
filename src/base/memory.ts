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

  /** The limit that applies, and how to start with more. The limit is that of the container or that of Node. */
  get limit(): { readonly name: string; readonly raise: string } {
    const { heapBytes, containerBytes } = limits();
    if (containerBytes !== undefined) {
      const megabytes = Math.round(containerBytes / MEGABYTE);
      return {
        name: `memory of ${megabytes} MB that this container may use`,
        raise: `give the container more, such as ${megabytes * 2} MB`,
      };
    }
    const megabytes = Math.round(heapBytes / MEGABYTE);
    return {
      name: `memory of ${megabytes} MB`,
      raise: `start with more: NODE_OPTIONS=--max-old-space-size=${megabytes * 2}`,
    };
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

/** Collects all garbage, so that only live objects remain. */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}

/** The memory of a container that a process needs beside its heap: code, stacks, buffers and uncollected garbage. */
const BESIDE_HEAP_BYTES = 112 * MEGABYTE;

/** A larger limit of the operating system means that there is no limit. */
const CONSTRAINED_MAX = 2 ** 50;

interface Limits {
  /** The heap limit that V8 started with, without its part for young objects. */
  readonly heapBytes: number;
  /** The limit of the container. Undefined if the process has no limit, or a higher one than V8. */
  readonly containerBytes: number | undefined;
}

/** The limits of this process. They are read once. */
let known: Limits | undefined;

function limits(): Limits {
  if (known !== undefined) return known;
  const heapBytes = getHeapStatistics().heap_size_limit - YOUNG_BYTES;
  const constrained = process.constrainedMemory();
  const isLower =
    constrained > 0 && constrained < CONSTRAINED_MAX && constrained - BESIDE_HEAP_BYTES < heapBytes;
  known = { heapBytes, containerBytes: isLower ? constrained : undefined };
  return known;
}

/** The smallest heap in which a sandbox can work. It fits into a container of 128 MB. */
const HEAP_MIN_BYTES = 40 * MEGABYTE;

function limitBytes(): number {
  const { heapBytes, containerBytes } = limits();
  return containerBytes === undefined
    ? heapBytes
    : Math.max(HEAP_MIN_BYTES, containerBytes - BESIDE_HEAP_BYTES);
}

/** The memory of this process. All modules share it. */
export const memory = new Memory();
