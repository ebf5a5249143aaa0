import type { AssumptionInWorld } from "../../simulator/platform/assumptions/listing.ts";

/**
 * Says, as one sentence, how the platform behaves with another value of an assumption: the sentence of the assumption
 * about this value, or the sentence that describes its rule.
 */
export function changedBehaviour(
  { says, default: standard }: Pick<AssumptionInWorld, "says" | "default">,
  value: string,
): string {
  const sentences = says.split(/(?<=\.) (?=[A-Z])/);
  const ofValue = sentences.find((one) => one.replaceAll(/[`,]/g, "").startsWith(`With ${value} `));
  const rule = sentences[0] ?? says;
  return ofValue ?? (standard === true ? `Not so: ${rule}` : rule);
}
