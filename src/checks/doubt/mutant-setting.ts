import type { FaultDefinition } from "../../simulator/platform/faults/fault.ts";
import type { AssumptionValues } from "../../simulator/platform/assumptions/assumptions.ts";
import { readAssumption, readAssumptions } from "../../simulator/platform/assumptions/reading.ts";
import { OptionMistake } from "../../server/settings/settings.ts";
import { Refusal } from "../../simulator/engine/refusal.ts";

const SABOTAGE = "sabotage:";

/**
 * Returns the settings of a world with another behaviour of the platform, which `SANDBANK_MUTANT` names:
 * `assumption=value` or `sabotage:id`, or several with commas between them. A sabotage is a fault that is armed from the
 * start. Explicit settings take precedence, also if the two do not agree. Throws an `OptionMistake` that names the
 * possible values.
 */
export async function withMutant(
  written: string | undefined,
  given: AssumptionValues,
): Promise<{ readonly assumptions: AssumptionValues; readonly faults?: readonly FaultDefinition[] }> {
  if (!written) return { assumptions: given };
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
  const both = { ...values, ...given };
  const agreeing = readAssumptions(both).mistakes.length === 0 ? both : given;
  return { assumptions: agreeing, ...(faults.length > 0 && { faults }) };
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

function wrong(problem: string): OptionMistake {
  return new OptionMistake(`SANDBANK_MUTANT ${problem}`);
}
