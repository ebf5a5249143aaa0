import type { Instant } from "./instant.ts";
import { type StoredRecord, collection } from "./collection.ts";

/** A planned event at an instant. It is data, so that it survives a snapshot and a restart. */
export interface Timer extends StoredRecord {
  readonly due: Instant;
  /** Position in arming order: the order of timers that are due at the same instant. */
  readonly order: number;
  readonly kind: string;
  /** The record it belongs to. A record has one timer of a kind; another one replaces it. */
  readonly owner: string;
  /** Plain data for the kind, or null. */
  readonly input: unknown;
  /** The journal entry whose command armed it. */
  readonly armedBy: number;
}

export const timers = collection<Timer>("timers", {});

/** The id of a record's timer of one kind. */
export function timerId(kind: string, owner: string): string {
  return `${kind} ${owner}`;
}

/** The armed timers in order: a binary heap of the `timers` collection. A disarmed one is skipped once it is first. */
export class TimerQueue {
  readonly #heap: Timer[] = [];

  constructor(armed: Iterable<Timer>) {
    for (const timer of armed) this.push(timer);
  }

  peek(): Timer | undefined {
    return this.#heap[0];
  }

  push(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(timer, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = timer;
  }

  pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(left: Timer, right: Timer): boolean {
  return left.due - right.due < 0 || (left.due === right.due && left.order < right.order);
}
