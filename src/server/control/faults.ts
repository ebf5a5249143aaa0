import { type Endpoint, refuse, refuseUnknown, valueOf, pathParameter } from "./endpoint.ts";
import { armFault, faults, FAULTS_MAX, faultShape } from "../../simulator/platform/faults/fault.ts";
import { effectListing } from "../../simulator/platform/faults/effects.ts";
import { events } from "../../simulator/api/events.ts";
import { operations } from "../../simulator/api/operations.ts";
import { Refusal } from "../../simulator/engine/refusal.ts";
import { removeFaults } from "../../simulator/platform/webhook-events/attempts.ts";
import { readFault } from "../../simulator/platform/faults/reading.ts";

const KNOWN = { events: Object.keys(events), operations: Object.keys(operations) };

/** Faults: what goes wrong on purpose. */
export const faultEndpoints = {
  listFaults: {
    method: "GET",
    path: "/sandbox/faults",
    tag: "Outside",
    summary: "List the faults in force, and every possible effect",
    response: "FaultList",
    answer: ({ world: { now, records } }) => ({
      data: Array.from(records.all(faults), (fault) => faultShape(fault, now)),
      effects: effectListing(),
    }),
  } satisfies Endpoint,
  addFault: {
    method: "POST",
    path: "/sandbox/faults",
    tag: "Outside",
    summary: "Add a fault",
    description: "The effects and their fields are in [faults.md](faults.md).",
    request: "FaultRequest",
    response: "Fault",
    successStatus: 201,
    problems: ({ body }) => {
      try {
        readFault(body, KNOWN);
        return [];
      } catch (error) {
        if (error instanceof Refusal) return error.problems;
        throw error;
      }
    },
    answer: ({ world, body, inbound }) => {
      const plan = readFault(body, KNOWN);
      if (world.records.count(faults) >= FAULTS_MAX)
        refuse("faults", `A world has at most ${FAULTS_MAX} faults. Remove some first.`, "LIMIT");
      const command = { by: "control", name: "fault" } as const;
      const fault = valueOf(world.execute(command, (tx) => armFault(tx, plan), inbound));
      return faultShape(fault, world.now);
    },
  } satisfies Endpoint<"FaultRequest">,
  removeFaults: {
    method: "DELETE",
    path: "/sandbox/faults",
    tag: "Outside",
    summary: "Remove all faults",
    response: "RemovedCount",
    answer: ({ world, inbound }) => {
      const all = Array.from(world.records.all(faults));
      const command = { by: "control", name: "faults dropped" } as const;
      valueOf(world.execute(command, (tx) => removeFaults(tx, all), inbound));
      return { dropped: all.length };
    },
  } satisfies Endpoint,
  removeFault: {
    method: "DELETE",
    path: "/sandbox/faults/{id}",
    tag: "Outside",
    summary: "Remove a fault",
    parameters: { id: pathParameter("The fault.", "f1") },
    response: "Removed",
    errors: ["NOT_FOUND"],
    answer: ({ world, params: { id = "" }, inbound }) => {
      const fault =
        world.records.get(faults, id) ??
        refuseUnknown(`There is no fault "${id.slice(0, 60)}". GET /sandbox/faults lists them.`);
      const command = { by: "control", name: "fault dropped" } as const;
      valueOf(world.execute(command, (tx) => removeFaults(tx, [fault]), inbound));
      return { id, dropped: true };
    },
  } satisfies Endpoint,
};
