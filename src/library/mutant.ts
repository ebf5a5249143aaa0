import type { AssumptionValues } from "../platform/assumptions/assumptions.ts";
import { OptionMistake } from "./settings.ts";
import { readAssumption, readAssumptions } from "../platform/assumptions/reading.ts";

/** What the platform does otherwise in worlds that do not say: `SANDBANK_MUTANT`. */
export interface Mutant {
  readonly assumptions: AssumptionValues;
}

const EXAMPLES = "assumption=value, as in charge.resend-delay=PT90M (sandbank assumptions lists them)";

/**
 * Reads `SANDBANK_MUTANT`: `assumption=value`, or several with commas between them. Throws an `OptionMistake` that
 * names what is possible.
 */
export function readMutant(written: string): Mutant {
  const assumptions: Record<string, unknown> = {};
  for (const part of written.split(/,\s*(?=[\w.-]+=)/)) {
    const at = part.indexOf("=");
    if (at < 1) throw wrong(`must be ${EXAMPLES}; found "${part}".`);
    const id = part.slice(0, at);
    const read = readAssumption(id, part.slice(at + 1));
    if ("mistake" in read) throw wrong(`cannot be used: ${read.mistake}`);
    assumptions[id] = read.value;
  }
  const { values, mistakes } = readAssumptions(assumptions);
  if (mistakes.length > 0) throw wrong(`cannot be used: ${mistakes.join(" ")}`);
  return { assumptions: values };
}

/** The assumptions of a world in which what is set by hand wins over the mutant, also where the two do not agree. */
export function withMutant(mutant: Mutant | undefined, given: AssumptionValues): AssumptionValues {
  const both = { ...mutant?.assumptions, ...given };
  return readAssumptions(both).mistakes.length === 0 ? both : given;
}

function wrong(problem: string): OptionMistake {
  return new OptionMistake(`SANDBANK_MUTANT ${problem}`);
}
