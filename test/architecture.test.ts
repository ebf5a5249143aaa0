import { expect, test } from "vitest";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/**
 * Which layers each layer may import, besides itself. `tsconfig.core.json` keeps the deterministic layers free of
 * I/O; this test keeps every dependency pointing one way. `generated` is `src/api/generated`: types only.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  engine: [],
  countries: ["engine"],
  generated: [],
  html: [],
  "qr-images": ["platform"],
  har: ["engine", "countries", "platform", "qr-images"],
  platform: ["engine", "countries", "generated"],
  api: ["engine", "platform", "generated"],
  process: [],
  webhooks: ["process", "engine", "platform", "qr-images", "api"],
  worlds: ["process", "engine", "platform", "qr-images", "webhooks", "generated"],
  control: [
    "process",
    "engine",
    "countries",
    "platform",
    "qr-images",
    "api",
    "worlds",
    "webhooks",
    "har",
    "generated",
  ],
  storage: ["process", "engine", "webhooks", "worlds"],
  server: ["process", "engine", "platform", "qr-images", "api", "worlds", "webhooks", "storage", "control"],
  settings: ["process", "engine", "platform", "api", "webhooks", "worlds", "server"],
  access: [
    "process",
    "engine",
    "platform",
    "qr-images",
    "generated",
    "api",
    "webhooks",
    "worlds",
    "control",
    "server",
    "settings",
  ],
  cluster: ["process", "engine", "api", "worlds", "webhooks", "storage", "control", "server"],
  pages: [
    "html",
    "process",
    "engine",
    "countries",
    "platform",
    "qr-images",
    "api",
    "worlds",
    "server",
    "control",
    "generated",
  ],
};

/** What tools import besides each other: the front doors of the sandbox. */
const TOOLS = [
  "sandbox",
  "settings",
  "access",
  "control",
  "html",
  "api",
  "har",
  "countries",
  "engine",
  "generated",
  "process",
];

const LINES_MAX = 400;

const files = globSync("src/**/*.ts").sort();

function importsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  return Array.from(text.matchAll(/from "(\.[^"]+)"/g), ([, path = ""]) =>
    normalize(join(dirname(file), path)),
  );
}

function layerOf(file: string): string {
  const [, layer = "", folder] = file.split("/");
  return layer === "api" && folder === "generated" ? "generated" : layer;
}

for (const [layer, allowed] of Object.entries(ALLOWED)) {
  test(`${layer} imports only ${allowed.join(", ") || "itself"}`, () => {
    const wrong = files
      .filter((file) => layerOf(file) === layer)
      .flatMap((file) => importsOf(file).map((imported) => [file, imported] as const))
      .filter(([, imported]) => layerOf(imported) !== layer && !allowed.includes(layerOf(imported)));
    expect(wrong).toEqual([]);
  });
}

/** The parts of the platform that are data: tools read them, and leave the records and rules alone. */
const PLATFORM_DATA =
  /^src\/platform\/(?:(?:catalog|operations)\.ts$|assumptions\/|faults\/|webhook-events\/delivery\.ts$)/;

test(`tools import only each other, the platform's data and ${TOOLS.join(", ")}`, () => {
  const wrong = files
    .filter((file) => layerOf(file) === "tools")
    .flatMap((file) => importsOf(file).map((imported) => [file, imported] as const))
    .filter(
      ([, imported]) => !["tools", ...TOOLS].includes(layerOf(imported)) && !PLATFORM_DATA.test(imported),
    );
  expect(wrong).toEqual([]);
});

test("one dynamic import leads to the cluster, and nothing else names it", () => {
  const mentions = globSync("src/**/*.{ts,js}")
    .filter((file) => layerOf(file) !== "cluster")
    .flatMap((file) =>
      Array.from(readFileSync(file, "utf8").matchAll(/.*\/cluster\/.*/g), ([line]) => [file, line.trim()]),
    );
  expect(mentions).toEqual([
    ["src/sandbox/parts.ts", 'const { Cluster } = await import("../cluster/cluster.ts");'],
  ]);
});

test("no folder imports itself through others", () => {
  const ways = Map.groupBy(
    globSync("src/*/**/*.ts").flatMap((file) =>
      waysOf(file).map((to) => ({ from: folderOf(file), to: folderOf(to) })),
    ),
    ({ from }) => from,
  );
  const reached = (from: string, found = new Set<string>()): ReadonlySet<string> => {
    for (const { to } of ways.get(from) ?? []) if (to !== from && !found.has(to)) reached(to, found.add(to));
    return found;
  };
  expect([...ways.keys()].filter((folder) => reached(folder).has(folder))).toEqual([]);
});

/** The layer of a file, or its tool. */
function folderOf(file: string): string {
  const [, layer, tool, ...inside] = file.split("/");
  return layer === "tools" && inside.length > 0 ? `tools/${tool}` : layerOf(file);
}

/** What a file imports, also when it runs. */
function waysOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  return Array.from(text.matchAll(/(?:from |import\()"(\.[^"]+)"/g), ([, path = ""]) =>
    normalize(join(dirname(file), path)),
  );
}

test("a resource sends its events in events.ts and makes its state machines in states.ts", () => {
  const resources = files.filter((file) => /^src\/platform\/[^/]+\//.test(file));
  const senders = resources.filter(
    (file) => !file.includes("/webhook-events/") && /\bannounce\(/.test(readFileSync(file, "utf8")),
  );
  const machines = resources.filter((file) => /= stateMachine\(/.test(readFileSync(file, "utf8")));
  expect(senders.filter((file) => !file.endsWith("/events.ts"))).toEqual([]);
  expect(machines.filter((file) => !file.endsWith("/states.ts"))).toEqual([]);
});

/** The wall itself, and the fake clock, which replaces the timers of a partner's process. */
const WALLS = /^src\/tools\/(?:wall\.ts$|clock\/)/;

/** The only place of the command line that names the wall of this machine. Commands get it as an argument. */
const COMMAND_LINE = "src/cli/command-line.ts";

const WALL_TIME =
  /\bDate\.now\b|\bnew Date\(\)|\bperformance\b|\bset(?:Timeout|Interval)\b|node:timers|\bAbortSignal\.timeout\b/;

test("tools and commands take the time outside the sandbox from their Wall", () => {
  const wrong = files
    .filter((file) => ["tools", "cli"].includes(layerOf(file)) && !WALLS.test(file))
    .filter((file) => WALL_TIME.test(readFileSync(file, "utf8")));
  expect(wrong).toEqual([]);
  const ofMachine = files.filter(
    (file) => layerOf(file) === "cli" && /\bsystemWall\b/.test(readFileSync(file, "utf8")),
  );
  expect(ofMachine).toEqual([COMMAND_LINE]);
});

test("no module imports itself through others, not even for a type", () => {
  const ways = new Map(files.map((file) => [file, importsOf(file)]));
  const done = new Set<string>();
  const cycles: string[][] = [];
  function visit(file: string, path: readonly string[]): void {
    const begun = path.indexOf(file);
    if (begun >= 0) cycles.push([...path.slice(begun), file]);
    if (begun >= 0 || done.has(file)) return;
    for (const next of ways.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  }
  for (const file of files) visit(file, []);
  expect(cycles).toEqual([]);
});

test("the root of src has entry points only", () => {
  expect(files.filter((file) => file.split("/").length === 2)).toEqual(["src/index.ts"]);
});

test("every layer is listed here", () => {
  const layers = new Set(files.filter((file) => file.split("/").length > 2).map(layerOf));
  expect([...layers].filter((layer) => !Object.hasOwn(ALLOWED, layer))).toEqual(["cli", "sandbox", "tools"]);
});

test("no file is longer than the limit or has a name without meaning", () => {
  const exempt = new Set(["src/api/generated/shapes.ts"]);
  const long = files.filter((file) => !exempt.has(file) && lines(file) > LINES_MAX);
  const nameless = files.filter((file) =>
    /\/(utils?|helpers?|common|types|manager|service|index)\.ts$/.test(file),
  );
  expect(long).toEqual([]);
  expect(nameless).toEqual(["src/index.ts"]);
});

test("no test replaces the variables of its worker, which the stubs of the tests after it would not be taken from", () => {
  const replacing = globSync("test/**/*.test.ts", { exclude: ["**/node_modules/**"] }).filter((file) =>
    /process\.env = |Object\.assign\(process\b/.test(readFileSync(file, "utf8")),
  );
  expect(replacing).toEqual([]);
});

function lines(file: string): number {
  return readFileSync(file, "utf8").trimEnd().split("\n").length;
}
