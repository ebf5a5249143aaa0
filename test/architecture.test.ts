import { expect, test } from "vitest";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/**
 * Which rooms each room may import, besides itself. The compiler keeps the deterministic floors shut; this
 * keeps the rooms of the shell apart, which meet in `sandbox.ts`, in `wiring` and under `cli`.
 */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  brazil: ["core"],
  mexico: ["core"],
  platform: ["core", "brazil", "mexico"],
  interface: ["core", "platform"],
  fixtures: ["platform"],
  webhooks: ["core", "brazil", "platform"],
  worlds: ["core", "platform", "webhooks"],
  persistence: ["core", "worlds"],
  web: ["core", "platform", "worlds", "webhooks"],
  http: ["core", "platform", "interface", "worlds", "web"],
  control: ["core", "brazil", "platform", "interface", "worlds", "web", "webhooks"],
  dashboard: ["web", "worlds"],
  reference: ["core", "brazil", "platform", "interface", "worlds", "web", "webhooks"],
  pages: ["core", "brazil", "platform", "worlds", "web"],
  scenarios: ["core"],
  contracts: ["core", "platform", "interface", "worlds", "web", "control", "webhooks", "scenarios"],
  wiring: [
    "core",
    "platform",
    "interface",
    "fixtures",
    "worlds",
    "web",
    "http",
    "scenarios",
    "contracts",
    "persistence",
    "webhooks",
    "sandbox.ts",
  ],
};

const SENTENCES_MAX = 300;

const files = globSync("src/**/*.ts").sort();

function importsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  return Array.from(text.matchAll(/from "(\.[^"]+)"/g), ([, path = ""]) =>
    normalize(join(dirname(file), path)),
  );
}

const roomOf = (file: string): string => file.split("/")[1] ?? "";

for (const [room, doors] of Object.entries(DOORS)) {
  test(`${room} imports nothing but ${doors.join(", ") || "itself"}`, () => {
    const wrong = files
      .filter((file) => roomOf(file) === room)
      .flatMap((file) => importsOf(file).map((imported) => [file, imported] as const))
      .filter(([, imported]) => roomOf(imported) !== room && !doors.includes(roomOf(imported)));
    expect(wrong).toEqual([]);
  });
}

test("every room is known here", () => {
  const rooms = new Set(files.filter((file) => file.split("/").length > 2).map(roomOf));
  expect([...rooms].filter((room) => room !== "cli" && !Object.hasOwn(DOORS, room))).toEqual([]);
});

test("no file is so long that it hides a room, and none has a name that says nothing", () => {
  const generated = new Set(["src/platform/shapes.ts", "src/interface/operations.ts"]);
  const long = files.filter((file) => !generated.has(file) && lines(file) > SENTENCES_MAX);
  const nameless = files.filter((file) =>
    /\/(utils?|helpers?|common|types|manager|service|index)\.ts$/.test(file),
  );
  expect(long).toEqual([]);
  expect(nameless).toEqual(["src/index.ts"]);
});

function lines(file: string): number {
  return readFileSync(file, "utf8").split("\n").length;
}
