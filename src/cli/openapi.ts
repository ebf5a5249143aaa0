import type { Argv } from "yargs";
import { command } from "./command.ts";
import { openApiDocument } from "../api/openapi.ts";
import { writeOutput } from "./output.ts";

const flags = (yargs: Argv) =>
  yargs.options({ out: { type: "string", describe: "File to write to [default: standard output]" } });

/** `sandbank openapi`: the OpenAPI document. */
export const openApiCommand = command(flags, ({ out }) =>
  writeOutput(`${JSON.stringify(openApiDocument(), null, 2)}\n`, out),
);
