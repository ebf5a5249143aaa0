import type { CommandModule } from "yargs";

/** `sandbank assumptions`: what the interface leaves open, and what the sandbox assumes. */
export const assumptionsCommand: CommandModule<object, { readonly json: boolean }> = {
  command: "assumptions",
  describe: "List what the interface leaves open and what the sandbox assumes",
  builder: { json: { type: "boolean", default: false, describe: "Print them as JSON, with their reasons" } },
  handler: async ({ json }) => {
    const { listAssumptions } = await import("../platform/assumptions/listing.ts");
    const listed = listAssumptions();
    if (json) process.stdout.write(`${JSON.stringify(listed, null, 2)}\n`);
    else {
      for (const { id, says, settable, value, observed, notObserved } of listed) {
        const seen = observed === null ? `Not observed: ${notObserved}` : `Observed: ${observed}`;
        process.stdout.write(`${id}${settable ? ` = ${String(value)}` : ""}\n    ${says}\n    ${seen}\n`);
      }
    }
  },
};
