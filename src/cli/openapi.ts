import { command } from "./command.ts";
import { text } from "./flags.ts";
import { openApiDocument } from "../api/openapi.ts";
import { writeOutput } from "./output.ts";

const flags = { out: text("File to write to [default: standard output]") };

/** `sandbank openapi`: the OpenAPI document. */
export const openApiCommand = command(flags, ({ out }) =>
  writeOutput(`${JSON.stringify(openApiDocument(), null, 2)}\n`, out),
);
