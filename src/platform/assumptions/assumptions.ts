import type { Transaction } from "../../core/transaction.ts";
import type { Assumption } from "./assumption.ts";
import { collection } from "../../core/collection.ts";
import { isDuration } from "../../core/instant.ts";
import { parseMoney } from "../../core/money.ts";
import { subscriptionAssumptions } from "./subscriptions.ts";
import { webhookAssumptions } from "./webhooks.ts";

/** Every decision that the interface leaves open, by id. */
export const assumptions = {
  ...subscriptionAssumptions,
  ...webhookAssumptions,
};

export type AssumptionId = keyof typeof assumptions;

/** Values that differ from the defaults. */
export type AssumptionValues = { readonly [Id in AssumptionId]?: (typeof assumptions)[Id]["default"] };

interface AssumptionSettings {
  readonly id: "settings";
  readonly values: AssumptionValues;
}

const settings = collection<AssumptionSettings>("assumptions", {});

/** Sets what a world assumes; called once, as the world is made. */
export function assume(tx: Transaction, values: AssumptionValues): void {
  tx.put(settings, { id: "settings", values });
}

/** What this world assumes. */
export function assumption<Id extends AssumptionId>(
  tx: Pick<Transaction, "get">,
  id: Id,
): (typeof assumptions)[Id]["default"] {
  const values: AssumptionValues | undefined = tx.get(settings, "settings")?.values;
  return values?.[id] ?? assumptions[id].default;
}

/**
 * Reads one value as a person wrote it, in a flag or a file: a text, or already of its type. Gives the value,
 * or the sentence that says what was found and what would be right.
 */
export function readAssumption(id: string, written: unknown): { value: unknown } | { mistake: string } {
  const known: Assumption<unknown> | undefined = assumptions[id as AssumptionId];
  if (known === undefined) return { mistake: `There is no assumption "${id}".` };
  const { type } = known;
  const found = JSON.stringify(written);
  switch (type.kind) {
    case "statement":
      return { mistake: `The assumption ${id} cannot be set: ${known.says}` };
    case "flag":
      if (written === true || written === "true") return { value: true };
      if (written === false || written === "false") return { value: false };
      return { mistake: `The assumption ${id} is true or false; found ${found}.` };
    case "duration":
      if (typeof written === "string" && isDuration(written)) return { value: written };
      return { mistake: `The assumption ${id} is an ISO 8601 duration such as PT5S; found ${found}.` };
    case "time":
      if (typeof written === "string" && /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/.test(written)) {
        return { value: written };
      }
      return { mistake: `The assumption ${id} is a time of day such as 22:00; found ${found}.` };
    case "amount": {
      const text = typeof written === "number" ? String(written) : written;
      if (typeof text === "string" && parseMoney("BRL", text)) return { value: text };
      return { mistake: `The assumption ${id} is an amount such as 15000.00; found ${found}.` };
    }
    case "count": {
      const counted = typeof written === "string" && /^\d+$/.test(written) ? Number(written) : written;
      if (typeof counted === "number" && Number.isInteger(counted) && counted >= type.min && counted <= type.max) {
        return { value: counted };
      }
      return { mistake: `The assumption ${id} is a whole number from ${type.min} to ${type.max}; found ${found}.` };
    }
    case "choice":
      if (typeof written === "string" && type.choices.includes(written)) return { value: written };
      return { mistake: `The assumption ${id} is one of ${type.choices.join(", ")}; found ${found}.` };
  }
}
