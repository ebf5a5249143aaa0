import type { BaselineEvent } from "./deviations.ts";
import { isRecord, parsed } from "../../simulator/engine/json.ts";
import { nameText } from "../../partner/states/naming.ts";
import { Occurrences } from "./occurrences.ts";
import type { Played } from "./played.ts";
import type { PlayedDelivery } from "../../server/access/played-world.ts";

/** Returns the deliveries without the copies. */
export function originals({ deliveries }: Pick<Played, "deliveries">): PlayedDelivery[] {
  return deliveries.filter(({ duplicateOf }) => duplicateOf === null);
}

export interface FoundEvent extends Omit<BaselineEvent, "object" | "call" | "isOfTimer"> {
  /** The partner's name for its object. It is equal in every run. Empty if only the platform names the object. */
  readonly label: string;
}

/** Returns the events of a run in the order of announcement, with an identity that is valid in any run. */
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

/** The identities that find an event in any other run, the more reliable identity first. */
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
