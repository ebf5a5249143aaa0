import type { BaselineEvent } from "./deviations.ts";
import { Occurrences } from "./occurrences.ts";
import type { Played } from "./play.ts";
import type { PlayedDelivery } from "../../library/played-world.ts";

/** The deliveries that are no copies. */
export function originals({ deliveries }: Pick<Played, "deliveries">): PlayedDelivery[] {
  return deliveries.filter(({ duplicateOf }) => duplicateOf === null);
}

export type FoundEvent = Omit<BaselineEvent, "object" | "call" | "isOfTimer">;

/** The events of a run in the order of their announcement, with what identifies them in any run. */
export function eventsOf(run: Pick<Played, "deliveries" | "stepEnds">): FoundEvent[] {
  const counted = new Occurrences();
  return originals(run).map(({ event, collection, objectId, createdAt }, position) => {
    const step = run.stepEnds.findIndex(({ events }) => events > position);
    return {
      index: position + 1,
      event,
      collection,
      objectId,
      ...counted.next(collection, objectId, event),
      step: step === -1 ? run.stepEnds.length + 1 : step + 1,
      at: Math.floor(createdAt / 1000),
    };
  });
}

export function identityOf({ event, collection, objectNumber, occurrence }: FoundEvent): string {
  return JSON.stringify([event, collection, objectNumber, occurrence]);
}
