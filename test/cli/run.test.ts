import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { join } from "node:path";
import { sandbank, serve } from "./command.ts";
import { tmpdir } from "node:os";

const GOOD = "scenarios/subscriptions/accepted.yaml";

const FAILING = `name: It expects too much
start: 2026-11-20T09:00:00-03:00
steps:
  - call: createSubscription
    body: { $use: subscription.monthly }
    expect: { body: { status: ACCEPTED } }
`;

const MISTAKEN = `name: It has three mistakes
steps:
  - call: createSubscripton
  - act: subscription.acept
    on: \${sub.id}
`;

function folderWith(files: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return {
    at: (name: string) => join(folder, name),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

test("exit 0 when all passed", async () => {
  const { code, out } = await sandbank("run", GOOD);
  expect(code).toBe(0);
  expect(out).toContain("1 passed");
});

test("exit 1 when an expectation failed, with the difference and its place", async () => {
  using folder = folderWith({ "failing.yaml": FAILING });
  const { code, out } = await sandbank("run", folder.at("failing.yaml"), GOOD);
  expect(code).toBe(1);
  expect(out).toContain("failing.yaml:4:5");
  expect(out).toContain("PENDING_AUTHORIZATION");
  expect(out).toContain("1 passed, 1 failed");
});

test("exit 2 when a file is wrong, with every mistake of every file and nothing run", async () => {
  using folder = folderWith({ "mistaken.yaml": MISTAKEN, "broken.yaml": "name: [" });
  const { code, out, err } = await sandbank(
    "run",
    folder.at("mistaken.yaml"),
    folder.at("broken.yaml"),
    GOOD,
  );
  expect(code).toBe(2);
  expect(err).toContain(
    "mistaken.yaml:3:11: There is no operation `createSubscripton`. Did you mean `createSubscription`?",
  );
  expect(err).toContain("mistaken.yaml:4:10:");
  expect(err).toContain("mistaken.yaml:5:9:");
  expect(err).toContain("broken.yaml:1:");
  expect(out).toBe("");
});

test("exit 2 when --grep matches nothing, or there is no such file", async () => {
  expect((await sandbank("run", GOOD, "--grep", "nothing like it")).code).toBe(2);
  expect((await sandbank("run", "no-such-file.yaml")).code).toBe(2);
});

test("the json report goes to a file and says the same each time", async () => {
  using folder = folderWith({});
  const reports = [];
  for (const name of ["one.json", "two.json"]) {
    const { code, out } = await sandbank("run", GOOD, "--reporter", "json", "--out", folder.at(name));
    expect(code).toBe(0);
    expect(out).toBe("");
    reports.push(readFileSync(folder.at(name), "utf8"));
  }
  expect(reports[0]).toBe(reports[1]);
  expect(JSON.parse(reports[0] ?? "")).toMatchObject({ passed: 1, failed: 0 });
});

test(
  "every scenario runs against a running sandbank too, each in a world of its own",
  { timeout: 60_000 },
  async () => {
    await using server = await serve();
    const { code, out } = await sandbank("run", "scenarios", "--target", server.url);
    expect(out).not.toContain("✗");
    expect(code).toBe(0);
    const { data } = (await (await fetch(`${server.url}/sandbox/worlds`)).json()) as { data: unknown[] };
    expect(data).toHaveLength(1);
  },
);
