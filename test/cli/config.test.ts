import { Ajv2020 } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { expect, onTestFinished, test } from "vitest";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sandbank } from "./command.ts";
import { tmpdir } from "node:os";

function configFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "sandbank.config.yaml");
  writeFileSync(path, text);
  return path;
}

const FILE = `port: 0
frozen: true
start: 2026-11-20T09:00:00-03:00
seed: 7
admin-token: from-the-file
assumptions: { cancellation.delay: PT1M, refund.delay: PT2M }
`;

/** A few lines that stand for ten thousand values. */
const ALIASES_WITHOUT_END = [
  "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]",
  "b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]",
  "c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]",
  "d: [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\n",
].join("\n");

test("config prints every setting with its value and its source", async () => {
  const file = configFile(FILE);
  const env = { SANDBANK_SEED: "8", SANDBANK_HOST: "", SANDBANK_ASSUME: "refund.delay=PT3M" };
  const flags = ["--config", file, "--frozen=false", "--assume", "cancellation.delay=PT9S"];
  const { code, out } = await sandbank({ env }, "config", "--json", ...flags);
  expect(code).toBe(0);
  const rows = new Map(
    (JSON.parse(out) as { setting: string; value: unknown; source: string }[]).map((row) => [
      row.setting,
      row,
    ]),
  );
  expect(rows.get("port")).toMatchObject({ value: 0, source: `${file}: port` });
  expect(rows.get("host")).toMatchObject({ value: "127.0.0.1", source: "default" });
  expect(rows.get("seed")).toMatchObject({ value: 8, source: "SANDBANK_SEED" });
  expect(rows.get("frozen")).toMatchObject({ value: false, source: "--frozen" });
  expect(rows.get("assumptions")).toMatchObject({
    value: { "cancellation.delay": "PT9S", "refund.delay": "PT3M" },
    source: `--assume, SANDBANK_ASSUME, ${file}: assumptions`,
  });
  expect(rows.get("admin-token")).toMatchObject({ value: "(hidden)" });
  expect(out).not.toContain("from-the-file");
});

test("without --json config prints a table", async () => {
  const { out } = await sandbank("config", "--seed", "5");
  expect(out).toMatch(/^port +4010 +default$/m);
  expect(out).toMatch(/^seed +5 +--seed$/m);
  expect(out).toMatch(/^start +- +default$/m);
});

test("the password of a database is never printed, not even that of a URL that cannot be used", async () => {
  const usable = [
    "postgres://me:pass-word@db/x",
    "postgresql://me:pass-word@/x?host=/run",
    "postgres://db/x?password=pass-word",
  ];
  for (const data of usable) {
    const { code, out } = await sandbank({ env: { SANDBANK_DATA: data } }, "config");
    expect([data, code, out.includes("pass-word")]).toEqual([data, 0, false]);
  }
  const problems = {
    "a file or a postgres:// URL; found a URL that begins with mysql://.": ["mysql://me:pass-word@db/x"],
    "a URL such as postgres://user:password@host:5432/name. Percent-encode special characters of the password, such as %23 for #.":
      [
        "postgres://me:pass-word#1@db/x",
        "postgres://me:pass-word@db:port/x",
        "postgres:me:pass-word",
        "host=db dbname=x password=pass-word",
        "jdbc:postgresql://db/x?user=me&password=pass-word",
        "Server=db;Database=x;User Id=me;Password=pass-word",
        "Data Source=db; Initial Catalog=x; Pwd=pass-word",
      ],
  };
  for (const [problem, urls] of Object.entries(problems)) {
    for (const data of urls) {
      const { code, err } = await sandbank({ env: { SANDBANK_DATA: data } }, "serve", "--port", "0");
      expect([data, code, err]).toEqual([data, 2, `SANDBANK_DATA must be ${problem}\n`]);
    }
  }
});

test("every wrong value is reported at once, with its place", async () => {
  const file = configFile(
    "prot: 1\nseed: many\nfrozen: maybe\nassumptions: { refund.dely: PT1S }\negress-allow: x\n",
  );
  const env = { SANDBANK_PORT: "tcp://10.0.0.1:4010", SANDBANK_LOG_LEVEL: "loud" };
  const { code, err, out } = await sandbank(
    { env },
    "serve",
    "--config",
    file,
    "--webhook-url",
    "localhost",
    "--seed",
    "-1",
  );
  expect(code).toBe(2);
  expect(out).toBe("");
  expect(err.trim().split("\n")).toEqual([
    `${file}:1:1: There is no setting "prot". Did you mean port?`,
    'SANDBANK_PORT must be a whole number from 0 to 65535; found "tcp://10.0.0.1:4010".',
    `${file}:3:1: frozen must be true or false; found "maybe".`,
    '--seed must be a whole number from 0 to 4294967295; found "-1".',
    `${file}:2:1: seed must be a whole number from 0 to 4294967295; found "many".`,
    '--webhook-url must be an absolute http or https URL, such as http://127.0.0.1:4011/webhooks; found "localhost".',
    `${file}:5:1: egress-allow cannot be used: "x" is neither an address nor a CIDR range. Write it as 10.1.0.0/16, 10.1.2.3 or fd12:3456::/32.`,
    'SANDBANK_LOG_LEVEL must be one of silent, error, warn, info, debug; found "loud".',
    expect.stringContaining(
      `${file}:4:1: assumptions cannot be used: There is no assumption "refund.dely". Did you mean refund.delay`,
    ),
  ]);
});

test.each([
  ["- port: 1\n", ":1:1: The file must be a mapping of settings to values; found "],
  ["port: [1\n", ":2:1: "],
  ["port: 1\nport: 2\n", ":2:1: The key `port` is written twice in the same place. Keep one of them."],
  ["port: 1\n---\nport: 2\n", ":2:1: A second document begins here. Write one configuration per file."],
  ["port: *other\n", ":1:7: `*other` has no anchor"],
  [ALIASES_WITHOUT_END, ":2:8: The aliases of this file expand to more than 1000 values."],
])("the file %j is refused with its place", async (text, sentence) => {
  const file = configFile(text);
  const { code, err } = await sandbank("config", "--config", file);
  expect(code).toBe(2);
  expect(err).toContain(sentence);
  expect(err).toContain(file);
  expect(err).not.toContain("    at ");
});

test("two configuration files are refused", async () => {
  const { code, err } = await sandbank("config", "--config", "a.yaml", "--config", "b.yaml");
  expect(code).toBe(2);
  expect(err).toContain("--config must be given once; found 2 times.");
});

test("a named file must exist", async () => {
  const { code, err } = await sandbank("config", "--config", "no/such.yaml");
  expect(code).toBe(2);
  expect(err).toContain("Failed to read no/such.yaml");
});

test("the schema of the file accepts what the file accepts", () => {
  const ajv = new Ajv2020();
  ajvFormats.default(ajv);
  const check = ajv.compile(JSON.parse(readFileSync("schemas/config.schema.json", "utf8")) as object);
  expect(
    check({ port: 0, frozen: true, "log-level": "debug", assumptions: { "refund.delay": "PT1S" } }),
  ).toBe(true);
  expect(check({ prot: 0 })).toBe(false);
  expect(check({ port: "x" })).toBe(false);
});
