import type { CommandModule } from "yargs";
import { writeOutput } from "./output.ts";

/** `sandbank openapi`: the OpenAPI document. */
export const openApiCommand: CommandModule<object, { readonly out?: string }> = {
  command: "openapi",
  describe: "Print the OpenAPI document of the interface",
  builder: { out: { type: "string", describe: "File to write to [default: standard output]" } },
  handler: async ({ out }) => {
    const { openApiDocument } = await import("../api/openapi.ts");
    await writeOutput(`${JSON.stringify(openApiDocument(), null, 2)}\n`, out);
  },
};
