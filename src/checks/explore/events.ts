import type { BaselineEvent } from "./deviations.ts";
import { isRecord, parsed } from "../../simulator/engine/json.ts";
import { nameText, type Naming } from "../../partner/states/naming.ts";
import { Occurrences } from "./occurrences.ts";
import type { Played } from "./played.ts";
import type { PlayedDelivery } from "../../server/access/played-world.ts";

/** Returns the deliveries without the copies. */
export function originals({ deliveries }: Pick<Played, "deliveries">): PlayedDelivery[] {
  return deliveries.filter(({ duplicateOf }) => duplicateOf === null);
}

export interface FoundEvent extends Omit<BaselineEvent, "object" | "call" | "isOfTimer"> {
  /** The partner's name for its object. Empty if only the platform names the object. */
  readonly name: string;
  /** The same name with names for the texts of its run. It is equal in every run if the scenario names the object. */
  readonly label: string;
}

/** An event with the object in the baseline whose call made the object of the event. Undefined if no call did. */
interface MadeEvent extends FoundEvent {
  readonly madeBy: string | undefined;
}

/**
 * Returns the events of a run in the order of announcement, with an identity that is valid in any run. `naming` has the
 * names of the texts that the steps of the run saved and sent.
 */
export function eventsOf(run: Pick<Played, "deliveries" | "stepEnds">, naming: Naming): FoundEvent[] {
  const counted = new Occurrences();
  return originals(run).map(({ event, collection, objectId, createdAt, body }, position) => {
    const step = run.stepEnds.findIndex(({ events }) => events > position);
    return {
      index: position + 1,
      event,
      collection,
      objectId,
      name: nameIn(body),
      label: nameText(nameIn(body), naming),
      ...counted.next(collection, objectId, event),
      step: step === -1 ? run.stepEnds.length + 1 : step + 1,
      at: Math.floor(createdAt / 1000),
    };
  });
}

function nameIn(body: string): string {
  const event = parsed(body);
  const { code, data } = isRecord(event) ? event : {};
  const name = code ?? (isRecord(data) ? data["externalId"] : undefined);
  return typeof name === "string" ? name : "";
}

/** The identities that find an event in any other run, the more reliable identity first. */
export const eventIdentities: readonly ((event: MadeEvent) => string | undefined)[] = [
  ({ event, collection, label, occurrence }) => JSON.stringify([event, collection, label, occurrence]),
  ({ event, collection, madeBy, occurrence }) =>
    madeBy === undefined ? undefined : JSON.stringify([event, collection, madeBy, occurrence]),
  identityOf,
];

export function identityOf({
  event,
  collection,
  objectNumber,
  occurrence,
}: Omit<FoundEvent, "label" | "name">): string {
  return JSON.stringify([event, collection, objectNumber, occurrence]);
}
