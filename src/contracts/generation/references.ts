import type { Scenario } from "../../scenarios/scenario.ts";
import { relative, sep } from "node:path";

/** The way back from an interaction to its scenario; the verifier prints it. */
export function references({ file, name }: Scenario, step?: number) {
  const path = relative(process.cwd(), file).split(sep).join("/");
  const shipped = path.lastIndexOf("scenarios/");
  return {
    references: {
      scenario: {
        // Wherever the package is installed, what ships is told by its place in it.
        file: shipped < 0 ? path : path.slice(shipped),
        name,
        ...(step !== undefined && { step: String(step) }),
      },
    },
  };
}
