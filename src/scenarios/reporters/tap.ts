import { stringify } from "yaml";
import { coverageLines } from "../coverage.ts";
import { placeOf } from "./failure.ts";
import type { MakeReporter } from "./reporter.ts";
import { visible } from "./visible.ts";

/** The Test Anything Protocol, version 14: a line per scenario as it ends, a YAML block where one failed. */
export const tapReporter: MakeReporter = ({ write }) => {
  let number = 0;
  return {
    started(total) {
      write(`TAP version 14\n1..${total}\n`);
    },
    finished(result) {
      number += 1;
      const name = visible(result.name).replaceAll(/[\\#]/g, "\\$&");
      const verdict = result.status === "failed" ? "not ok" : "ok";
      const skip = result.status === "skipped" ? ` # SKIP ${result.skipped ?? ""}` : "";
      write(`${verdict} ${number} - ${name}${skip}\n`);
      const { failure } = result;
      if (failure === undefined) return;
      const { message, step, title, differences, before } = failure;
      const told = { message, at: placeOf(result, failure), step: `${step}. ${title}`, differences, before };
      const block = stringify(told, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
      write(`  ---\n${block.replaceAll(/^/gm, "  ")}\n  ...\n`);
    },
    ended(_results, coverage) {
      if (coverage === undefined) return;
      write(`${coverageLines(coverage).join("\n").replaceAll(/^/gm, "# ")}\n`);
    },
  };
};
