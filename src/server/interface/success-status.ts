import type { Operation } from "../../simulator/api/operations.ts";
import type { Simulation } from "../../simulator/engine/simulation.ts";
import { assumption } from "../../simulator/platform/assumptions/assumptions.ts";

/** Returns the status of a success (assumptions: http.statuses, http.statuses-of-actions). */
export function successStatusOf(
  reading: Simulation["reading"],
  { method, successStatus }: Operation,
): 200 | 201 {
  if (successStatus === 201) return assumption(reading, "http.statuses") === "created-201" ? 201 : 200;
  if (method !== "POST") return successStatus;
  return assumption(reading, "http.statuses-of-actions") === "201" ? 201 : 200;
}
