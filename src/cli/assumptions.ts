import { print } from "./standard-streams.ts";
import { command } from "./command.ts";
import { toggle } from "./flags.ts";
import { observedAssumptions } from "../checks/calibration/observed-assumptions.ts";

const flags = { json: toggle("Print JSON with the reasons and possible values", { default: false }) };

/** `sandbank assumptions`: the open questions of the interface, and the sandbox's assumptions. */
export const assumptionsCommand = command(flags, async ({ json }) => {
  const listed = await observedAssumptions();
  if (json) print(`${JSON.stringify(listed, null, 2)}\n`);
  else {
    for (const { id, says, settable, value, observed, notObserved } of listed) {
      const seen = observed === null ? `Not observed: ${notObserved}` : `Observed: ${observed}`;
      print(`${id}${settable ? ` = ${String(value)}` : ""}\n    ${says}\n    ${seen}\n`);
    }
  }
});
