import type { CommandModule } from "yargs";
import { writeOutput } from "./output.ts";

/** `sandbank schema`: the JSON Schemas everything is checked with. */
export const schemaCommand: CommandModule<
  object,
  { readonly name?: string | undefined; readonly out?: string | undefined }
> = {
  command: "schema [name]",
  describe: "Print the JSON Schemas of the interface and of scenario files",
  builder: (yargs) =>
    yargs
      .positional("name", { type: "string", describe: "One schema, such as scenario" })
      .option("out", { type: "string", describe: "File to write it to instead" }),
  handler: async ({ name, out }) => {
    const { schemaText } = await import("./schema-text.ts");
    await writeOutput(schemaText(name), out);
  },
};
