import { Queue } from "../../base/queue.ts";

/** A delivery whose next attempt is due. */
export interface DueDelivery {
  readonly id: string;
  /** True if a command from outside made it due. */
  readonly isOfCommand: boolean;
  /** The number of its cause: see `Unfinished`. */
  readonly sequence: number;
}

/** The attempts about one object. */
interface ObjectQueue {
  /** Deliveries whose attempt is opened after the outcome before it is committed. */
  readonly waiting: Queue<DueDelivery>;
  /** The number of opened attempts whose outcome is not committed. */
  open: number;
  /** Resolves when the attempt that was opened last is answered. */
  answered: Promise<void> | undefined;
}

/** The queues of all objects with attempts that are open or wait. */
export class ObjectQueues {
  readonly #queues = new Map<string, ObjectQueue>();

  get size(): number {
    return this.#queues.size;
  }

  /** Returns the queue of an object. The first call makes it. */
  of(objectId: string): ObjectQueue {
    let queue = this.#queues.get(objectId);
    if (queue === undefined)
      this.#queues.set(objectId, (queue = { waiting: new Queue(), open: 0, answered: undefined }));
    return queue;
  }

  delete(objectId: string): void {
    this.#queues.delete(objectId);
  }
}
