import type { FaultDefinition } from "../../platform/faults/fault.ts";
import type { AssumptionValues } from "../../platform/assumptions/assumptions.ts";
import { readAssumption, readAssumptions } from "../../platform/assumptions/reading.ts";
import { OptionMistake } from "../../settings/settings.ts";
import { Refusal } from "../../engine/refusal.ts";

/** The different behaviour of the platform in worlds without settings: `SANDBANK_MUTANT`. */
export interface MutantSetting {
  readonly assumptions: AssumptionValues;
  /** Sabotage: the faults that are armed at the start of a world. */
  readonly faults: readonly FaultDefinition[];
}

const SABOTAGE = "sabotage:";

/**
 * Reads `SANDBANK_MUTANT`: `assumption=value` or `sabotage:id`, or several with commas between them. Throws an
 * `OptionMistake` that names the possible values.
 */
export async function readMutant(written: string): Promise<MutantSetting> {
  const assumptions: Record<string, unknown> = {};
  const faults: FaultDefinition[] = [];
  for (const part of written.split(/,\s*(?=[\w.-]+=|sabotage:)/)) {
    const at = part.indexOf("=");
    if (part.startsWith(SABOTAGE)) faults.push(await sabotageFault(part.slice(SABOTAGE.length)));
    else if (at < 1)
      throw wrong(
        `must be assumption=value, as in charge.resend-delay=PT90M (sandbank assumptions lists them), or sabotage:id, as in sabotage:signatures.wrong; found "${part}".`,
      );
    else {
      const id = part.slice(0, at);
      const read = readAssumption(id, part.slice(at + 1));
      if ("mistake" in read) throw wrong(`cannot be used: ${read.mistake}`);
      assumptions[id] = read.value;
    }
  }
  const { values, mistakes } = readAssumptions(assumptions);
  if (mistakes.length > 0) throw wrong(`cannot be used: ${mistakes.join(" ")}`);
  return { assumptions: values, faults };
}

/** Loads the sabotage on demand, and returns its fault. */
async function sabotageFault(id: string): Promise<FaultDefinition> {
  const { faultOf, sabotage } = await import("./sabotage.ts");
  try {
    return faultOf(sabotage(id));
  } catch (error) {
    throw error instanceof Refusal ? wrong(`cannot be used: ${error.message}`) : error;
  }
}

/** Returns the settings of a world. Explicit settings take precedence over the mutant, also if the two do not agree. */
export function withMutant(
  mutant: MutantSetting | undefined,
  given: AssumptionValues,
): { readonly assumptions: AssumptionValues; readonly faults?: MutantSetting["faults"] } {
  if (mutant === undefined) return { assumptions: given };
  const both = { ...mutant.assumptions, ...given };
  const assumptions = readAssumptions(both).mistakes.length === 0 ? both : given;
  return { assumptions, ...(mutant.faults.length > 0 && { faults: mutant.faults }) };
}

function wrong(problem: string): OptionMistake {
  return new OptionMistake(`SANDBANK_MUTANT ${problem}`);
}
