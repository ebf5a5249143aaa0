import type { ActCollection } from "./resources.ts";
import type { ShapeName } from "../api/generated/shapes.ts";
import type { Transaction } from "../engine/transaction.ts";

/** What an act is asked with: the object, and what else the act names. Its shape was checked at the door. */
export interface ActInput<Fields extends object = object> {
  readonly id: string;
  readonly fields: Fields;
}

/** Something that someone outside the platform does: a payer, an institution, a holder of an account. */
export interface Act {
  /** `subscription.accept`: the resource and what is done to it. */
  readonly name: string;
  /** The collection of the object acted on; the act answers with the object as it then is. */
  readonly collection: ActCollection;
  /** The schema of the fields besides `id`, by its name in `schemas/acts.schema.json`; null where there are none. */
  readonly schema: ShapeName | null;
  readonly summary: string;
  /** Writes fields out that may be sent in a short form, before they are measured by the schema. */
  readonly writtenOut?: (fields: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  readonly run: (tx: Transaction, input: ActInput<never>) => void;
}

/** Declares an act. */
export function act<Fields extends object>(
  definition: Omit<Act, "run"> & { readonly run: (tx: Transaction, input: ActInput<Fields>) => void },
): Act {
  return definition;
}
