import { expect, test, vi } from "vitest";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { sandbank } from "./command.ts";
import { tmpdir } from "node:os";
import { requireWritable, unwritable, writeOutput } from "../../src/cli/output.ts";

function folder() {
  const path = mkdtempSync(join(tmpdir(), "sandbank-"));
  const loop = join(path, "loop.yaml");
  symlinkSync(loop, loop);
  return { path, loop, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

test("a report is written into folders that are created, and fails where they cannot be", async () => {
  using here = folder();
  const file = join(here.path, "a", "b", "report.json");
  await writeOutput("{}\n", file);
  await writeOutput("[]\n", file);
  expect(readFileSync(file, "utf8")).toBe("[]\n");
  // The recursive mkdir of Node does not end there.
  await expect(writeOutput("", "/proc/no-such-process/x/report.json")).rejects.toThrow("Name another file.");
  await expect(writeOutput("", "/dev/null/x/report.json")).rejects.toThrow("Name another file.");
});

test("a report that cannot be written is refused before the work, and a check leaves no file", async () => {
  using here = folder();
  const file = join(here.path, "a", "report.json");
  await requireWritable(file);
  expect(existsSync(file)).toBe(false);
  await writeOutput("{}\n", file);
  await requireWritable(file);
  expect(readFileSync(file, "utf8")).toBe("{}\n");
  for (const path of ["/proc/no-such-process/x/report.json", `/tmp/${"n".repeat(300)}`, here.loop])
    await expect(requireWritable(path)).rejects.toThrow("Name another file.");
});

test.each([
  ["run", "scenarios/subscriptions/accepted.yaml", "--reporter", "json", "--out"],
  ["openapi", "--out"],
  ["certify", "--receiver", "http://127.0.0.1:9/", "--out"],
  ["record", "--upstream", "http://127.0.0.1:9", "--port", "0", "--out"],
])("%s with a file that cannot be written ends with 2", async (...args) => {
  const { code, err } = await sandbank(...args, "/dev/null/x/report.html");
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/^Failed to write \/dev\/null\/x\/report\.html: .*\n$/),
  ]);
});

test("in a container, a file that may not be written comes with the way to mount a folder", () => {
  vi.stubEnv("container", "oci");
  const { message } = unwritable("report.html", Object.assign(new Error("EACCES"), { code: "EACCES" }));
  vi.unstubAllEnvs();
  expect(message).toBe(
    'Failed to write report.html: EACCES. In a container, mount a folder and write there: -v "$PWD:/work" -w /work --user "$(id -u)".',
  );
});

for (const args of [["run"], ["run", "--watch"], ["serve", "--port", "0", "--states"]])
  test(`${args.join(" ")} refuses a link to itself in a sentence`, { timeout: 60_000 }, async () => {
    using here = folder();
    const { code, err } = await sandbank(...args, here.loop);
    expect(code).toBe(2);
    expect(err).toMatch(/^Failed to read .*loop\.yaml/);
    expect(err).not.toContain("    at ");
  });
