import { expect, test } from "vitest";
import { commandLine } from "../../../src/server/control/shell.js";
import { doubt, limitOf } from "../../../src/checks/doubt/doubt.ts";
import { CHARGE, options } from "./suite-runs.ts";

const TIMEOUT_MS = 120_000;

test(
  "what the tests set themselves is overruled, without a run",
  async () => {
    const command = CHARGE("sets what it depends on");
    const report = await doubt(options([], { command, only: ["charge.resend-delay"] }));
    expect(report.mutants.map(({ verdict, seconds }) => [verdict, seconds])).toEqual(
      Array.from({ length: 3 }, () => ["overruled", null]),
    );
  },
  TIMEOUT_MS,
);

test(
  "tests against a server find one with the mutant at SANDBANK_URL",
  async () => {
    const script = `
      const headers = { authorization: "Bearer acme-token" };
      const answer = await fetch(process.env.SANDBANK_URL + "/order/v1/banking/accounts", { headers });
      if (Object.keys(await answer.json())[0] !== "nextCursor") throw new TypeError("no cursor");`;
    const command = commandLine([process.execPath, "--input-type=module", "-e", script]);
    const only = ["freedoms.field-order", "freedoms.unknown-fields"];
    const report = await doubt(options([], { command, port: 0, serve: "--frozen", only }));
    expect(report.first.operations).toEqual(["listAccounts"]);
    expect(report.mutants).toMatchObject([
      { id: "freedoms.unknown-fields", verdict: "tolerated" },
      { id: "freedoms.field-order", verdict: "broke", message: "TypeError: no cursor" },
    ]);
    const [{ replay } = { replay: "" }] = report.mutants;
    expect(replay).toMatch(/^sandbank doubt --test .* --port 0 --serve --frozen --only freedoms/s);
  },
  TIMEOUT_MS,
);

test.each([
  ["exit 1", 60_000, "your tests fail without a mutant. Make them pass first. They wrote no output."],
  ["echo oh && exit 1", 60_000, "oh"],
  ["true", 60_000, "your tests opened no sandbox"],
  ["sleep 300", 300, "they did not end within 0.3 s"],
])("nothing is said where the tests are %j, within %d ms: %s", async (command, timeoutMs, sentence) => {
  await expect(doubt(options([], { command, timeoutMs }))).rejects.toMatchObject({
    name: "FileMistakes",
    message: expect.stringContaining(sentence) as string,
  });
});

test("an unknown mutant is refused with the nearest one", async () => {
  await expect(doubt(options([], { only: ["charge.resend-delai"] }))).rejects.toThrow(
    '--only: there is no mutant "charge.resend-delai". Did you mean charge.resend-delay?',
  );
});

test.each([
  [undefined, 500, 30_000],
  [undefined, 12_000, 120_000],
  [1_000, 500, 1_500],
  [60_000, 500, 60_000],
])("with the limit %j and a first run of %d ms, a run may take %d ms", (given, firstMs, limitMs) => {
  expect(limitOf(given, firstMs)).toBe(limitMs);
});
