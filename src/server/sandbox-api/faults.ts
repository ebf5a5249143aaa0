import type { Transaction } from "../../engine/transaction.ts";
import { armFault, faults, FAULTS_MAX, faultShape } from "../../platform/faults/fault.ts";
import {
  type ControlRequest,
  type ControlRoutes,
  created,
  refuse,
  refuseUnknown,
  valueOf,
} from "./control.ts";
import { effectListing } from "../../platform/faults/effects.ts";
import { events } from "../../api/events.ts";
import { operations } from "../../api/operations.ts";
import { removeFaults } from "../../platform/webhook-events/attempts.ts";
import { readFault } from "../../platform/faults/reading.ts";

const KNOWN = { events: Object.keys(events), operations: Object.keys(operations) };

/** Faults: what goes wrong on purpose. */
export const faultRoutes: ControlRoutes = {
  "GET /faults": { summary: "List the faults in force, and every possible effect", answer: listFaults },
  "POST /faults": { summary: "Add a fault", answer: makeFault },
  "DELETE /faults": { summary: "Remove all faults", answer: clearFaults },
  "DELETE /faults/:id": { summary: "Remove a fault", answer: removeFault },
};

function listFaults({ world }: ControlRequest): object {
  const { now, records } = world;
  return {
    data: Array.from(records.all(faults), (fault) => faultShape(fault, now)),
    effects: effectListing(),
  };
}

/** `{on, effect, …}` */
function makeFault(request: ControlRequest): Response {
  const { world, body, inbound } = request;
  const plan = readFault(body, KNOWN);
  if (world.records.count(faults) >= FAULTS_MAX) {
    refuse("faults", `A world has at most ${FAULTS_MAX} faults. Remove some first.`, "LIMIT");
  }
  const fault = valueOf(world.execute({ by: "control", name: "fault" }, (tx) => armFault(tx, plan), inbound));
  return created(request, faultShape(fault, world.now));
}

function clearFaults({ world, inbound }: ControlRequest): object {
  const dropAll = (tx: Transaction): number => {
    const all = Array.from(tx.all(faults));
    removeFaults(tx, all);
    return all.length;
  };
  return { dropped: valueOf(world.execute({ by: "control", name: "faults dropped" }, dropAll, inbound)) };
}

function removeFault({ world, params, inbound }: ControlRequest): object {
  const id = params["id"] ?? "";
  const fault = world.records.get(faults, id);
  if (fault === undefined) {
    refuseUnknown(`There is no fault "${id.slice(0, 60)}". GET /sandbox/faults lists them.`);
  }
  valueOf(
    world.execute({ by: "control", name: "fault dropped" }, (tx) => removeFaults(tx, [fault]), inbound),
  );
  return { id, dropped: true };
}
