import { readdirSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import { areaPages, assumptionsPage } from "./assumptions-page.ts";
import { causesPage } from "./causes-page.ts";
import { controlCalls, controlPage } from "./control.ts";
import { editorSchema } from "./editor-schema.ts";
import { faultsPage } from "./faults-page.ts";
import { lifecyclePage } from "./lifecycle-page.ts";
import { magicValuesTable } from "./magic-values.ts";
import { people, pixKeys } from "./people.ts";
import { publishedSchema } from "./published-schema.ts";
import { receiverChecksPage } from "./receiver-checks-page.ts";
import { scenarioReference } from "./scenario-reference.ts";
import { type ScenarioSchema, withVocabulary } from "./scenario-schema.ts";
import { configSchema, settingsTable } from "./settings-page.ts";
import { settingOptions } from "./sandbox-options.ts";
import { shapes } from "./shapes.ts";
import { scenarioIndex } from "./scenario-index.ts";
import { storiesPage } from "./stories-page.ts";

/** A file that is derived from others and kept in the repository, so that readers and the compiler have it. */
interface Target {
  readonly path: string;
  content(): Promise<string>;
}

const SOURCES = "schemas/source";
const SCENARIO_FILE = "scenario.schema.json";
const SCENARIO_SCHEMA = `${SOURCES}/${SCENARIO_FILE}`;

const targets: readonly Target[] = [
  // The calls name shapes, and only those that are named are generated.
  { path: "src/server/control/generated/calls.ts", content: controlCalls },
  { path: "src/simulator/api/generated/shapes.ts", content: shapes },
  { path: "src/server/settings/generated/setting-options.ts", content: settingOptions },
  { path: "docs/sandbox-api.md", content: controlPage },
  { path: "docs/assumptions.md", content: () => format(assumptionsPage(), { parser: "markdown" }) },
  ...areaPages().map(({ path, content }) => ({
    path,
    content: () => format(content, { parser: "markdown" }),
  })),
  { path: "docs/faults.md", content: async () => faultsPage() },
  { path: "docs/causes.md", content: () => format(causesPage(), { parser: "markdown" }) },
  {
    path: "docs/receiver-checks.md",
    content: () => format(receiverChecksPage(), { parser: "markdown" }),
  },
  { path: "docs/lifecycles.md", content: () => format(lifecyclePage(), { parser: "markdown" }) },
  { path: "schemas/config.schema.json", content: () => publishedText(configSchema()) },
  { path: "docs/running.md", content: runningPage },
  { path: SCENARIO_SCHEMA, content: scenarioSchemaText },
  ...readdirSync(new URL(`../${SOURCES}`, import.meta.url)).map((file) => ({
    path: `schemas/${file}`,
    content: () => publishedFile(file),
  })),
  { path: "docs/scenario-reference.md", content: async () => scenarioReference(await scenarioSchemaText()) },
  { path: "docs/stories.md", content: async () => format(await storiesPage(), { parser: "markdown" }) },
  {
    path: "docs/scenario-index.md",
    content: async () => format(await scenarioIndex(), { parser: "markdown" }),
  },
  { path: "fixtures/people.json", content: async () => people() },
  {
    path: "fixtures/pix-keys.json",
    content: () => format(pixKeys(), { parser: "json", printWidth: 110, objectWrap: "collapse" }),
  },
];

const root = new URL("../", import.meta.url);

async function currentContent(path: string): Promise<string | undefined> {
  try {
    return await readFile(new URL(path, root), "utf8");
  } catch {
    return undefined;
  }
}

/** The schema of scenario files, which is written by hand, with the vocabulary as it is now. */
async function scenarioSchemaText(): Promise<string> {
  const schema = JSON.parse((await currentContent(SCENARIO_SCHEMA)) ?? "") as ScenarioSchema;
  return format(JSON.stringify(withVocabulary(schema)), { parser: "json", printWidth: 110 });
}

/** A schema as validators and editors of others get it. */
function publishedText(schema: unknown): Promise<string> {
  return format(JSON.stringify(publishedSchema(schema)), { parser: "json", printWidth: 110 });
}

async function publishedFile(file: string): Promise<string> {
  if (file === SCENARIO_FILE)
    return publishedText(editorSchema(JSON.parse(await scenarioSchemaText()) as ScenarioSchema));
  return publishedText(JSON.parse((await currentContent(`${SOURCES}/${file}`)) ?? ""));
}

/** The page about running, with the tables of settings and of magic values as they are now. */
async function runningPage(): Promise<string> {
  const page = (await currentContent("docs/running.md")) ?? "";
  const tables = { settings: settingsTable(), "magic values": magicValuesTable() };
  const filled = Object.entries(tables).reduce(
    (text, [name, table]) =>
      text.replace(
        new RegExp(`(<!-- ${name}: .* -->)[^]*(<!-- end of ${name} -->)`),
        (_, start: string, end: string) => `${start}\n\n${table}\n\n${end}`,
      ),
    page,
  );
  return format(filled, { parser: "markdown" });
}

async function write(target: Target): Promise<void> {
  const place = fileURLToPath(new URL(target.path, root));
  await mkdir(dirname(place), { recursive: true });
  await writeFile(place, await target.content());
}

async function isStale(target: Target): Promise<boolean> {
  return (await currentContent(target.path)) !== (await target.content());
}

if (process.argv.includes("--check")) {
  for (const target of targets) {
    if (!(await isStale(target))) continue;
    process.stderr.write(
      `Failed to check ${target.path}: it is not what its sources give. Run \`npm run generate\` and commit the result.\n`,
    );
    process.exitCode = 1;
  }
} else {
  for (const target of targets) await write(target);
}
