import type { ControlRequest } from "./control.ts";
import { armFault, dropFault, dropFaults, faults, FAULTS_MAX } from "../../platform/faults/fault.ts";
import { Created, refuse, refuseUnknown, valueOf } from "./control.ts";
import { effectListing } from "../../platform/faults/effects.ts";
import { events } from "../../api/events.ts";
import { faultShape } from "../../platform/faults/shape.ts";
import { operations } from "../../api/operations.ts";
import { readFault } from "../../platform/faults/reading.ts";

const KNOWN = { events: Object.keys(events), operations: Object.keys(operations) };

/** `GET /sandbox/faults`: what is armed, with what came of it, and every effect there is. */
export function listFaults({ world }: ControlRequest): object {
  const { now, records } = world;
  return {
    data: Array.from(records.all(faults), (fault) => faultShape(fault, now)),
    effects: effectListing(),
  };
}

/** `POST /sandbox/faults` `{on, effect, …}` */
export function makeFault({ world, body, inbound }: ControlRequest): Created {
  const plan = readFault(body, KNOWN);
  if (world.records.count(faults) >= FAULTS_MAX) {
    refuse("faults", `A world has at most ${FAULTS_MAX} faults armed. Take some back first.`);
  }
  const fault = valueOf(world.execute({ by: "control", name: "fault" }, (tx) => armFault(tx, plan), inbound));
  return new Created(faultShape(fault, world.now));
}

/** `DELETE /sandbox/faults`: takes all of them back. */
export function clearFaults({ world, inbound }: ControlRequest): object {
  return { dropped: valueOf(world.execute({ by: "control", name: "faults dropped" }, dropFaults, inbound)) };
}

/** `DELETE /sandbox/faults/{id}` */
export function removeFault({ world, params, inbound }: ControlRequest): object {
  const id = params["id"] ?? "";
  const fault = world.records.get(faults, id);
  if (fault === undefined) {
    refuseUnknown(`There is no fault "${id.slice(0, 60)}". GET /sandbox/faults lists them.`);
  }
  valueOf(world.execute({ by: "control", name: "fault dropped" }, (tx) => dropFault(tx, fault), inbound));
  return { id, dropped: true };
}
