import type { AssumptionInWorld } from "../../simulator/platform/assumptions/listing.ts";

/** The words of a rule that stand for the value of its assumption. */
const VALUE = /\b(?:this time of the day|this (?:time|many|amount|delay)|these intervals|(?<=than )this)\b/;

/** The words of a sentence that need the rule before it. */
const REFERENCE = /\b(?:it|its|such|instead|do|the (?:request|answer|return|second|two|rule))\b/i;

/**
 * Says, as one sentence, how the platform behaves with another value of an assumption: the sentence of the assumption
 * about this value, or its rule with the value in it. If the sentence about the value refers to the rule, the rule comes
 * first.
 */
export function changedBehaviour(
  { says, default: standard }: Pick<AssumptionInWorld, "says" | "default">,
  value: string,
): string {
  const [rule = says, ...others] = says.split(/(?<=\.) (?=[A-Z])/);
  const ofValue = sentenceAbout(value, others);
  if (ofValue !== undefined)
    return REFERENCE.test(ofValue) ? `${rule.replace(/\.$/, "")}; ${lowered(ofValue)}` : ofValue;
  if (VALUE.test(rule)) return rule.replace(VALUE, value);
  const truth = /^True if (.*)$/s.exec(rule)?.[1];
  if (truth !== undefined && value === "true") return truth.charAt(0).toUpperCase() + truth.slice(1);
  if (standard === true) return `Not so: ${rule}`;
  return typeof standard === "number" || /\d/.test(value) ? `${rule.replace(/\.$/, "")}: ${value}.` : rule;
}

function lowered(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** Returns the sentence that begins with a value, or that names it after another value. */
function sentenceAbout(value: string, sentences: readonly string[]): string | undefined {
  return sentences.find((sentence) => {
    const plain = sentence.replaceAll(/[`,]/g, "");
    return (
      plain.startsWith(`With ${value} `) || (plain.startsWith("With ") && plain.includes(` with ${value} `))
    );
  });
}
