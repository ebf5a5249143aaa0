import type { BaselineEvent } from "./deviations.ts";
import { isRecord, parsed } from "../../engine/json.ts";
import { nameText } from "../oracle/naming.ts";
import { Occurrences } from "./occurrences.ts";
import type { Played } from "./play.ts";
import type { PlayedDelivery } from "../../access/played-world.ts";

/** The deliveries that are no copies. */
export function originals({ deliveries }: Pick<Played, "deliveries">): PlayedDelivery[] {
  return deliveries.filter(({ duplicateOf }) => duplicateOf === null);
}

export interface FoundEvent extends Omit<BaselineEvent, "object" | "call" | "isOfTimer"> {
  /** What the partner calls its object, the same in every run; empty where only the platform names it. */
  readonly label: string;
}

/** The events of a run in the order of their announcement, with what identifies them in any run. */
export function eventsOf(run: Pick<Played, "run" | "deliveries" | "stepEnds">): FoundEvent[] {
  const counted = new Occurrences();
  return originals(run).map(({ event, collection, objectId, createdAt, body }, position) => {
    const step = run.stepEnds.findIndex(({ events }) => events > position);
    return {
      index: position + 1,
      event,
      collection,
      objectId,
      label: labelOf(body, run.run),
      ...counted.next(collection, objectId, event),
      step: step === -1 ? run.stepEnds.length + 1 : step + 1,
      at: Math.floor(createdAt / 1000),
    };
  });
}

function labelOf(body: string, run: string): string {
  const event = parsed(body);
  const { code, data } = isRecord(event) ? event : {};
  const name = code ?? (isRecord(data) ? data["externalId"] : undefined);
  return typeof name === "string" ? nameText(name, { names: new Map(), run }) : "";
}

/** The names by which an event is found in any other run, the surer one first. */
export const eventIdentities: readonly ((event: FoundEvent) => string)[] = [
  ({ event, collection, label, occurrence }) => JSON.stringify([event, collection, label, occurrence]),
  identityOf,
];

export function identityOf({
  event,
  collection,
  objectNumber,
  occurrence,
}: Omit<FoundEvent, "label">): string {
  return JSON.stringify([event, collection, objectNumber, occurrence]);
}
