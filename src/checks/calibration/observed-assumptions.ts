import type { ListedAssumption } from "../../simulator/api/generated/shapes.ts";
import type { AssumptionValues } from "../../simulator/platform/assumptions/assumptions.ts";
import { assumptions } from "../../simulator/platform/catalog.ts";
import { listAssumptions } from "../../simulator/platform/assumptions/listing.ts";
import { assertDefined } from "../../simulator/engine/assertion.ts";

/**
 * Returns every assumption in the order of the catalog, with the values of a world and how recorded traffic shows it.
 */
export async function observedAssumptions(values?: AssumptionValues): Promise<readonly ListedAssumption[]> {
  // The code that reads traffic is loaded on demand, because a server does not need it.
  const { observerOf } = await import("./observers/observers.ts");
  return listAssumptions(values).map((listed) => {
    const { id } = listed;
    const observer = observerOf(id, assertDefined(assumptions[id], `the assumption ${id}`));
    return typeof observer === "string"
      ? { ...listed, observed: null, notObserved: observer }
      : { ...listed, observed: observer.how, notObserved: null };
  });
}
