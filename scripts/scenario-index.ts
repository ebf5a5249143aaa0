import { readdir, readFile } from "node:fs/promises";
import { catalog } from "../src/simulator/platform/catalog.ts";
import { parseAllDocuments } from "yaml";

/** The folders with what their scenarios are about, in the order of the page. */
const FOLDERS: Readonly<Record<string, string>> = {
  stories: "Real situations of partners. [stories.md](stories.md) tells them.",
  subscriptions: "A payer authorizes, refuses or cancels a subscription.",
  charges: "The scheduled payments of a subscription: settled, refused, sent again, canceled.",
  payouts: "Money to others: paid, refused, in parts, returned.",
  refunds: "Money back to a payer, and disputes (MED).",
  orders: "Orders by PIX, card, boleto, deposit and crypto.",
  claims: "Claims of PIX keys.",
  accounts: "Accounts, balances and their lists.",
  authentication: "Tokens, and the events that they may see.",
  idempotency: "A call that is repeated under the same key.",
  webhooks: "Signatures, retries and order of webhooks.",
  faults: "One scenario for each kind of fault.",
  explore: "Flows to explore against your own system.",
  states: "States to begin a test or a contract with.",
  contracts: "Provider states of contracts.",
};

const INTRODUCTION = `# Index of the scenarios

<!-- Generated from scenarios by \`npm run generate\`. -->

This page lists every scenario of the package with the resources that it calls or changes. Search it for a word of your flow, copy the file, and change its values. One command plays one of them: \`sandbank run scenarios/payouts/comes-back.yaml\`. [scenarios.md](scenarios.md) explains the fields.
`;

interface Entry {
  readonly file: string;
  readonly name: string;
  readonly description: string;
  readonly resources: readonly string[];
}

/** Writes `docs/scenario-index.md`: a table for each folder of `scenarios`. Folders that `FOLDERS` does not name come last. */
export async function scenarioIndex(): Promise<string> {
  const root = new URL("../scenarios/", import.meta.url);
  const folders = (await readdir(root, { withFileTypes: true })).filter((one) => one.isDirectory());
  const names = new Set([...Object.keys(FOLDERS), ...folders.map(({ name }) => name).toSorted()]);
  const sections = [...names].map(async (folder) => {
    const files = (await readdir(new URL(`${folder}/`, root))).filter((name) => name.endsWith(".yaml"));
    const entries = await Promise.all(
      files
        .toSorted()
        .map(async (name) =>
          entriesOf(`${folder}/${name}`, await readFile(new URL(`${folder}/${name}`, root), "utf8")),
        ),
    );
    return [
      `## ${folder}\n`,
      ...(Object.hasOwn(FOLDERS, folder) ? [`${FOLDERS[folder]}\n`] : []),
      "| scenario | resources | what it shows |\n| --- | --- | --- |",
      ...entries.flat().map(rowOf),
      "",
    ].join("\n");
  });
  return [INTRODUCTION, ...(await Promise.all(sections))].join("\n");
}

/** Returns the scenarios of a file, with a name for each. */
function entriesOf(file: string, text: string): Entry[] {
  return parseAllDocuments(text).flatMap((document) => {
    const { name, description = "" } = document.toJS() as { name?: string; description?: string };
    return name === undefined
      ? []
      : [{ file, name, description, resources: resourcesIn(document.toString()) }];
  });
}

/** Returns the resources whose operations and acts a scenario names, in the order of the catalog. */
function resourcesIn(text: string): string[] {
  const words = new Set(text.match(/[\w.-]+/g));
  return catalog
    .filter(({ operations, acts }) =>
      [...Object.keys(operations), ...acts.map(({ name }) => name)].some((one) => words.has(one)),
    )
    .map(({ name }) => name.replaceAll("-", " "));
}

function rowOf({ file, name, description, resources }: Entry): string {
  const cells = [`[${name}](../scenarios/${file})`, resources.join(", "), description.trim()];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll(/\s+/g, " ")).join(" | ")} |`;
}
