import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { folderWith } from "../../cli/scenario-files.ts";
import { createSandbox } from "../../../src/index.ts";
import { loadFixtures, readFixtures, SHIPPED_FIXTURES } from "../../../src/server/access/fixture-files.ts";
import { parseScenario } from "../../../src/scenarios/parse.ts";
import { scenarioContext } from "../../../src/scenarios/context.ts";
import type { WorldFixtures } from "../../../src/simulator/api/generated/shapes.ts";
import { listNames } from "../../../src/simulator/platform/fixtures.ts";

type Json = { [key: string]: unknown };

const ACCOUNT: NonNullable<WorldFixtures["companies"]>[number]["accounts"][number] = {
  status: "ACTIVE",
  holderType: "ORGANIZATION",
  fullName: "Gym Fit LTDA",
  email: "finance@gymfit.example",
  phone: "+5511987650099",
  document: { type: "CNPJ", number: "11444777000161" },
  bankAccountData: {
    ispb: "99999004",
    branchNumber: "0001",
    accountNumber: "1",
    accountType: "PAYMENT_ACCOUNT",
  },
  createdAt: "2025-01-06T12:00:00.000Z",
  balance: "100.00",
};
const COMPANY: NonNullable<WorldFixtures["companies"]>[number] = {
  name: "Gym Fit Açaí LTDA",
  token: "gym-token",
  webhook: { url: null, secret: "gym-webhook-secret" },
  accounts: [ACCOUNT],
};

function mistakesOf(files: Readonly<Record<string, unknown>>): string[] {
  using folder = folderWith(
    Object.fromEntries(
      Object.entries(files).map(([name, content]) => [
        name,
        typeof content === "string" ? content : JSON.stringify(content, null, 2),
      ]),
    ),
  );
  return readFixtures(folder.at(".")).mistakes.map((line) =>
    line.replace(/^.*\/(?=[\w-]+\.(?:json|ya?ml):)/, ""),
  );
}

test("the shipped fixtures pass the checks of a user's folder", () => {
  expect(readFixtures(SHIPPED_FIXTURES).mistakes).toEqual([]);
});

test("one company with one account is enough: absent ids follow from the seed and the name", async () => {
  using folder = folderWith({ "companies.json": JSON.stringify([COMPANY]) });
  const companiesAt = async (seed: number) => {
    await using sandbox = await createSandbox({ fixtures: folder.at("."), seed });
    const response = await sandbox.fetch("/sandbox/worlds");
    const { data } = (await response.json()) as { data: { companies: Json[] }[] };
    return data[0]?.companies ?? [];
  };
  const [first] = await companiesAt(1);
  expect(first).toMatchObject({ id: "gym-fit-acai-ltda", clientId: "gym-fit-acai-ltda", token: "gym-token" });
  expect(await companiesAt(1)).toEqual([first]);
  expect(await companiesAt(2)).not.toEqual([first]);
});

test("`extends: shipped` adds entries, and an entry with one of our ids replaces it", () => {
  using folder = folderWith({
    "companies.yaml": JSON.stringify({
      extends: "shipped",
      companies: [COMPANY, { ...COMPANY, id: "globex", token: "other-token", accounts: [other()] }],
    }),
  });
  const { companies } = loadFixtures(folder.at("."));
  expect(companies.map(({ id, token }) => [id, token])).toEqual([
    ["acme", "acme-token"],
    ["globex", "other-token"],
    ["initech", "initech-token"],
    ["gym-fit-acai-ltda", "gym-token"],
  ]);
});

function other(): Json {
  return {
    ...ACCOUNT,
    document: { type: "CPF", number: "52998224725" },
    bankAccountData: { ...ACCOUNT.bankAccountData, accountNumber: "2" },
  };
}

test.each<[string, Json, string]>([
  [
    "a file without its list",
    { "cards.yaml": "companies: []" },
    "cards.yaml:1:1: The file must be a list, or an object with the list `cards`; found companies.",
  ],
  ["two files of one list", { "cards.json": [], "cards.yaml": "[]" }, "cards.yaml:1:1: There is "],
  ["a file that is not JSON", { "cards.json": "[{" }, "cards.json:1:3: This is not JSON:"],
  [
    "a name that is almost right",
    { "company.json": [] },
    "company.json:1:1: This file is not read. Did you mean companies.json?",
  ],
  [
    "an unknown group of bodies",
    { "bodies.yaml": "payuot: {}" },
    "bodies.yaml:1:9: payuot is not known here. Did you mean payout?",
  ],
  [
    "a number without quotes",
    { "cards.yaml": "- { id: 4000000000000002, token: t, outcome: PAID, isChallenged: false }" },
    "cards.yaml:1:9: cards[0].id must be 12 to 19 digits; found 4000000000000002. Write it in quotes.",
  ],
  [
    "a balance below zero",
    { "companies.json": [{ ...COMPANY, accounts: [{ ...ACCOUNT, balance: "-1.00" }] }] },
    "companies.json:27:20: companies[0].accounts[0].balance must not be below zero; found -1.00.",
  ],
  [
    "wrong check digits",
    { "people.yaml": '- { name: A, document: { type: CPF, number: "52998224726" } }' },
    'people.yaml:1:45: people[0].document.number must be a CPF: 11 digits with right check digits; found "52998224726".',
  ],
  [
    "a token of two companies",
    { "companies.json": [COMPANY, { ...COMPANY, name: "B", accounts: [other()] }] },
    'The token "gym-token" belongs to two companies, gym-fit-acai-ltda and b. Give each its own.',
  ],
  [
    "a document of two companies",
    {
      "companies.json": [
        COMPANY,
        { ...COMPANY, name: "B", token: "b", accounts: [{ ...other(), document: ACCOUNT.document }] },
      ],
    },
    'The document "11444777000161" belongs to two companies',
  ],
  [
    "an account number twice",
    {
      "companies.json": [
        { ...COMPANY, accounts: [ACCOUNT, { ...other(), bankAccountData: ACCOUNT.bankAccountData }] },
      ],
    },
    'The account number "1" is there twice.',
  ],
  [
    "a key without its account",
    { "pix-keys.yaml": "- { key: a@b.example, accountId: 11111111-1111-4111-8111-11111111111f }" },
    'There is no account "11111111-1111-4111-8111-11111111111f". Did you mean',
  ],
  [
    "a text that is no key",
    { "pix-keys.yaml": "- { key: A@b.example, accountId: 11111111-1111-4111-8111-111111111111 }" },
    "pix-keys[0].key must be a PIX key: ",
  ],
  [
    "an unknown decision",
    { "known-payers.yaml": '- { id: "52998224725", name: A, outcomes: { order.paiment: PAID } }' },
    'There is no decision "order.paiment" of a payer. Did you mean order.payment?',
  ],
  [
    "an unknown outcome",
    { "known-payers.yaml": '- { id: "52998224725", name: A, outcomes: { order.payment: PAYED } }' },
    '"PAYED" is no outcome of order.payment. It can be PAID, DECLINED or EXPIRED.',
  ],
  [
    "no default bank",
    { "deposit-banks.yaml": '- { slug: a, name: A, ispb: "12345678", code: "123", default: false }' },
    "Exactly one bank must have default: true; found none.",
  ],
])("%s is one sentence with its place", (_, files, expected) => {
  const mistakes = mistakesOf(files);
  expect(mistakes).toHaveLength(1);
  expect(mistakes[0]).toContain(expected);
  expect(mistakes[0]).toMatch(/^[\w-]+\.(?:json|ya?ml):\d+:\d+: [^\n]+[.?]$/);
});

/** The places of all values in a JSON value. */
function placesIn(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [path];
  const keys = Array.isArray(value) ? Array.from(value.keys()) : Object.keys(value);
  return [path, ...keys.flatMap((key) => placesIn((value as Json)[key], [...path, key]))];
}

test("a folder with one wrong value is refused with a sentence that names the field, and nothing throws", () => {
  const shipped = Object.fromEntries(
    listNames.map((name) => [
      name,
      JSON.parse(readFileSync(`${SHIPPED_FIXTURES}${name}.json`, "utf8")) as unknown[],
    ]),
  );
  const drawn = fc
    .constantFrom(...listNames)
    .chain((name) =>
      fc.tuple(fc.constant(name), fc.constantFrom(...placesIn(shipped[name]?.slice(0, 3)).slice(1))),
    )
    .chain(([name, path]) =>
      fc.tuple(fc.constant(name), fc.constant(path), fc.constantFrom<unknown>(17.5, {}, [], "\u0000", "")),
    );
  fc.assert(
    fc.property(drawn, ([name, path, wrong]) => {
      const list = structuredClone(shipped[name]) as unknown as Json;
      const parent = path.slice(0, -1).reduce<Json>((at, key) => at[key] as Json, list);
      const last = path.at(-1) as string;
      if (JSON.stringify(parent[last]) === JSON.stringify(wrong)) return;
      parent[last] = wrong;
      const mistakes = mistakesOf({ [`${name}.json`]: list });
      const field = path.findLast((key) => typeof key === "string") ?? name;
      expect(mistakes.join("\n")).toMatch(new RegExp(`^${name}\\.json:\\d+:\\d+: ${name}\\[`));
      expect(mistakes.join("\n")).toContain(field);
    }),
    { numRuns: 200 },
  );
});

test("a folder without a file of fixtures is refused with the names of its files", () => {
  const problem = (files: Readonly<Record<string, string>>): string | undefined => {
    using folder = folderWith(files);
    return readFixtures(folder.at(".")).mistakes[0]?.replaceAll(folder.at("."), "mine");
  };
  const expected =
    "Name a folder with at least one of companies.yaml, pix-keys.yaml, known-payers.yaml, cards.yaml, deposit-banks.yaml, people.yaml, bodies.yaml (or .json).";
  expect(problem({ "notes.txt": "", "README.md": "" })).toBe(
    `Failed to read the fixtures mine: found README.md, notes.txt. ${expected}`,
  );
  expect(problem({})).toBe(`Failed to read the fixtures mine: the folder is empty. ${expected}`);
});

test("a sandbox starts from lists, and its recording names them", async () => {
  await using sandbox = await createSandbox({ fixtures: { "known-payers": [], companies: [COMPANY] } });
  const headers = { authorization: "Bearer gym-token" };
  expect((await sandbox.fetch("/order/v1/banking/accounts", { headers })).status).toBe(200);
  const recording = await sandbox.recording();
  const { scenarios, mistakes } = parseScenario(recording, "recording.yaml", scenarioContext());
  expect(mistakes).toEqual([]);
  expect(Object.keys(scenarios[0]?.fixtures ?? {})).toEqual(["companies", "known-payers"]);
});

test("lists with mistakes are refused by createSandbox and by a scenario, with their place", async () => {
  const wrong = { companies: [{ ...COMPANY, token: "" }] };
  await expect(createSandbox({ fixtures: wrong })).rejects.toThrow(/^fixtures\.companies\[0\]\.token must/);
  const text = `name: Own\nfixtures:\n  companies:\n    - ${JSON.stringify({ ...COMPANY, token: "" })}\nsteps: []\n`;
  const { mistakes } = parseScenario(text, "own.yaml", scenarioContext());
  expect(mistakes.map(({ line, message }) => [line, message])).toEqual([
    [4, expect.stringContaining("must")],
  ]);
});
