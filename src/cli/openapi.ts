import { asVersion30 } from "../simulator/api/openapi-3-0.ts";
import { choice, text, toggle } from "./flags.ts";
import { command } from "./command.ts";
import { controlDocument } from "../server/control/openapi.ts";
import { DEFAULT_SERVER } from "../simulator/api/openapi-document.ts";
import { describedEndpoints } from "../library/app.ts";
import { localDate } from "../simulator/countries/brazil/calendar.ts";
import { platformDocument } from "../simulator/api/openapi.ts";
import { writeOutput } from "./output.ts";

const flags = {
  sandbox: toggle("Print the document of the sandbox's own API instead", { default: false }),
  version: choice(["3.1", "3.0"], "Version of OpenAPI", { type: "string", default: "3.1" }),
  out: text("Write the document to this file [default: standard output]"),
};

/** `sandbank openapi`: one of the OpenAPI documents, with dates as of today in its examples. */
export const openApiCommand = command(flags, ({ out, version, sandbox }, wall) => {
  const server = { ...DEFAULT_SERVER, today: localDate(wall.date()) };
  const document = sandbox ? controlDocument(describedEndpoints(), server) : platformDocument(server);
  const written = version === "3.0" ? asVersion30(document) : document;
  return writeOutput(`${JSON.stringify(written, null, 2)}\n`, out);
});
