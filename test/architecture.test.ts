import { expect, test } from "vitest";
import { existsSync, globSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/**
 * The rooms of src in the order of their dependencies, and the rooms that each one may import. A room imports only rooms
 * before it. Each room begins with a page that says the same (`src/<room>/README.md`).
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  simulator: ["base"],
  traffic: ["base", "simulator"],
  server: ["base", "simulator", "traffic"],
  pages: ["base", "simulator", "server"],
  partner: ["base", "simulator", "server"],
  reports: ["base", "server", "pages"],
  scenarios: ["base", "simulator", "server", "partner", "reports"],
  contracts: ["base", "simulator", "server", "reports", "scenarios"],
  checks: ["base", "simulator", "traffic", "server", "pages", "partner", "reports", "scenarios", "contracts"],
  library: ["base", "simulator", "server", "pages", "partner", "scenarios", "contracts", "checks"],
  cli: [
    "base",
    "simulator",
    "traffic",
    "server",
    "partner",
    "reports",
    "scenarios",
    "contracts",
    "checks",
    "library",
  ],
};

/**
 * The layers inside of the simulator and of the server, and the layers of their own room that each one may import.
 * `tsconfig.core.json` and `tsconfig.simulator.json` keep I/O and other rooms out of the simulator. `generated` is
 * `src/simulator/api/generated`: types only.
 */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  engine: [],
  countries: ["engine"],
  generated: [],
  platform: ["engine", "countries", "generated"],
  "qr-images": ["platform"],
  api: ["engine", "platform", "generated"],
  webhooks: ["engine", "platform", "qr-images", "api"],
  worlds: ["engine", "platform", "qr-images", "webhooks", "generated"],
  control: [],
  storage: [],
  server: ["storage", "control"],
  settings: ["server"],
  access: ["control", "server", "settings"],
  cluster: ["storage", "control", "server"],
};

/** The rooms that judge or play a partner. They use the simulator through its data and the sandbox. */
const TOOLS = ["partner", "reports", "scenarios", "contracts", "checks"];

/** The layers that tools import: the front doors of the sandbox. */
const FRONT_DOORS = ["settings", "access", "control", "api", "countries", "engine", "generated"];

const LINES_MAX = 400;

const files = globSync("src/**/*.ts").sort();

function importsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  return Array.from(text.matchAll(/from "(\.[^"]+)"/g), ([, path = ""]) =>
    normalize(join(dirname(file), path)),
  );
}

function roomOf(file: string): string {
  return file.split("/")[1] ?? "";
}

/** The layer of a file of the simulator or the server. Files at the top of the server are the layer `server`. */
function layerOf(file: string): string {
  const [, room = "", layer = "", folder] = file.split("/");
  if (room !== "simulator" && room !== "server") return room;
  if (layer === "api" && folder === "generated") return "generated";
  return folder !== undefined && Object.hasOwn(LAYERS, layer) ? layer : room;
}

test("the rooms are listed in the order of their dependencies", () => {
  const names = Object.keys(ROOMS);
  expect(
    readdirSync("src", { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? [e.name] : [])),
  ).toEqual(names.toSorted());
  expect(names.length).toBeLessThanOrEqual(12);
  for (const [index, allowed] of Object.values(ROOMS).entries())
    expect(allowed.map((name) => names.indexOf(name)).filter((other) => other >= index)).toEqual([]);
});

for (const [room, allowed] of Object.entries(ROOMS)) {
  test(`the room ${room} imports only ${allowed.join(", ") || "itself"}`, () => {
    const wrong = globSync(`src/${room}/**/*.{ts,js}`)
      .flatMap((file) => waysOf(file).map((imported) => [file, imported] as const))
      .filter(([, imported]) => roomOf(imported) !== room && !allowed.includes(roomOf(imported)));
    expect(wrong).toEqual([]);
  });

  test(`the room ${room} begins with its page`, () => {
    const page = readFileSync(`src/${room}/README.md`, "utf8");
    expect(page).toContain(`# ${room}\n`);
    expect(page).toContain(`May import: ${allowed.join(", ") || "nothing"}.\n`);
    const first = Array.from(page.matchAll(/^\d\. \[[^\]]+\]\(([^)]+)\)/gm), ([, path = ""]) => path);
    expect(first).toHaveLength(3);
    expect(first.filter((path) => !existsSync(`src/${room}/${path}`))).toEqual([]);
    expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(12);
  });
}

for (const [layer, allowed] of Object.entries(LAYERS)) {
  test(`of its room, the layer ${layer} imports only ${allowed.join(", ") || "itself"}`, () => {
    const wrong = files
      .filter((file) => layerOf(file) === layer)
      .flatMap((file) => importsOf(file).map((imported) => [file, imported] as const))
      .filter(([file, imported]) => roomOf(imported) === roomOf(file))
      .filter(([, imported]) => layerOf(imported) !== layer && !allowed.includes(layerOf(imported)));
    expect(wrong).toEqual([]);
  });
}

/** The parts of the platform that are data: tools read them, and leave the records and rules alone. */
const PLATFORM_DATA =
  /^src\/simulator\/platform\/(?:(?:catalog|operations)\.ts$|assumptions\/|faults\/|webhook-events\/delivery\.ts$)/;

test(`tools import the simulator and the server only by the platform's data and ${FRONT_DOORS.join(", ")}`, () => {
  const wrong = files
    .filter((file) => TOOLS.includes(roomOf(file)))
    .flatMap((file) => importsOf(file).map((imported) => [file, imported] as const))
    .filter(([, imported]) => ["simulator", "server"].includes(roomOf(imported)))
    .filter(([, imported]) => !FRONT_DOORS.includes(layerOf(imported)) && !PLATFORM_DATA.test(imported));
  expect(wrong).toEqual([]);
});

test("one dynamic import leads to the cluster, and nothing else names it", () => {
  const mentions = globSync("src/**/*.{ts,js}")
    .filter((file) => layerOf(file) !== "cluster")
    .flatMap((file) =>
      Array.from(readFileSync(file, "utf8").matchAll(/.*\/cluster\/.*/g), ([line]) => [file, line.trim()]),
    );
  expect(mentions).toEqual([
    [
      "src/library/open-worlds.ts",
      'const { openSharedWorlds } = await import("../server/cluster/open-shared-worlds.ts");',
    ],
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

/** The layer of a file, the check that it belongs to, or its room. */
function folderOf(file: string): string {
  const [, room, folder] = file.split("/");
  return room === "checks" ? `${room}/${folder}` : layerOf(file);
}

/** What a file imports, also when it runs. */
function waysOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  return Array.from(text.matchAll(/(?:from |import\()"(\.[^"]+)"/g), ([, path = ""]) =>
    normalize(join(dirname(file), path)),
  );
}

test("a resource sends its events in events.ts and makes its state machines in states.ts", () => {
  const resources = files.filter((file) => /^src\/simulator\/platform\/[^/]+\//.test(file));
  const senders = resources.filter(
    (file) => !file.includes("/webhook-events/") && /\bannounce\(/.test(readFileSync(file, "utf8")),
  );
  const machines = resources.filter((file) => /= stateMachine\(/.test(readFileSync(file, "utf8")));
  expect(senders.filter((file) => !file.endsWith("/events.ts"))).toEqual([]);
  expect(machines.filter((file) => !file.endsWith("/states.ts"))).toEqual([]);
});

/** The fake clock, which replaces the timers of a partner's process. The wall itself is in the room `base`. */
const WALLS = /^src\/partner\/clock\//;

/**
 * The only places of the command line that name the wall of this machine. Commands get it as an argument. A session of an
 * agent takes its seed from the date.
 */
const OF_MACHINE = ["src/cli/command-line.ts", "src/cli/mcp/mcp-tools.ts"];

const WALL_TIME =
  /\bDate\.now\b|\bnew Date\(\)|\bperformance\b|\bset(?:Timeout|Interval)\b|node:timers|\bAbortSignal\.timeout\b/;

test("tools and commands take the time outside the sandbox from their Wall", () => {
  const wrong = files
    .filter((file) => [...TOOLS, "cli"].includes(roomOf(file)) && !WALLS.test(file))
    .filter((file) => WALL_TIME.test(readFileSync(file, "utf8")));
  expect(wrong).toEqual([]);
  const ofMachine = files.filter(
    (file) => roomOf(file) === "cli" && /\bsystemWall\b/.test(readFileSync(file, "utf8")),
  );
  expect(ofMachine).toEqual(OF_MACHINE);
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

test("only one file loads node:http, because an import of it loads all of fetch too", () => {
  /** The text of a program for the user. */
  const STARTER_TEXT = "src/cli/init-test.ts";
  const values = /^import (?!type )[^;]*from "node:http";$/m;
  const importing = files.filter((file) => values.test(readFileSync(file, "utf8")) && file !== STARTER_TEXT);
  expect(importing).toEqual([]);
});

test("the root of src has entry points only", () => {
  expect(files.filter((file) => file.split("/").length === 2)).toEqual(["src/index.ts"]);
});

test("every layer is listed here", () => {
  const layers = new Set(files.filter((file) => ["simulator", "server"].includes(roomOf(file))).map(layerOf));
  expect([...layers].toSorted()).toEqual(Object.keys(LAYERS).toSorted());
});

test("no file is longer than the limit or has a name without meaning", () => {
  const exempt = new Set(["src/simulator/api/generated/shapes.ts"]);
  const long = files.filter((file) => !exempt.has(file) && lines(file) > LINES_MAX);
  const nameless = files.filter((file) =>
    /\/(utils?|helpers?|common|types|manager|service|index)\.ts$/.test(file),
  );
  expect(long).toEqual([]);
  expect(nameless).toEqual(["src/index.ts"]);
});

test("a verdict becomes an exit code in one place", () => {
  // An older Node loads no other module than main.ts, and with-clock.ts ends as its program did.
  const setting = files.filter((file) => /exitCode = /.test(readFileSync(file, "utf8")));
  expect(setting).toEqual(["src/cli/exit-code.ts", "src/cli/main.ts", "src/cli/with-clock.ts"]);
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
