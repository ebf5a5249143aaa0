import { command } from "./command.ts";
import { print } from "./standard-streams.ts";
import { readFileSync } from "node:fs";
import { suggestion } from "../simulator/engine/suggestion.ts";
import { text } from "./flags.ts";
import { UsageError } from "../base/failures.ts";

/** The files that this command prints, by their names. */
const FILES: Readonly<Record<string, string>> = {
  compose: "compose.yaml",
  "ci-service": "ci-service.yaml",
  receiver: "receiver.mjs",
  "receiver-go": "receivers/receiver.go",
  "receiver-java": "receivers/Receiver.java",
  "receiver-php": "receivers/receiver.php",
  "receiver-python": "receivers/receiver.py",
  "receiver-ruby": "receivers/receiver.rb",
  "receiver-typescript": "receivers/receiver.ts",
};

const flags = {
  name: text(`Name of the file: ${Object.keys(FILES).join(", ")}`, { isArgument: true, demandOption: true }),
};

/** `sandbank examples copy`: prints a file of the examples, for users of the image who have no clone. */
export const copyExampleCommand = command(flags, ({ name }) => {
  const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  if (file === undefined)
    throw new UsageError(`There is no example "${name}". ${suggestion(name, Object.keys(FILES))}`);
  print(readFileSync(new URL(`../../examples/${file}`, import.meta.url), "utf8"));
});
