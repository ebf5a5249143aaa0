import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { folderWith } from "./scenario-files.ts";
import { sandbank } from "./command.ts";

test("init --fixtures writes a folder that passes its check, and keeps files that exist", async () => {
  using folder = folderWith({});
  const written = await sandbank("init", folder.at("."), "--fixtures");
  expect(written.code).toBe(0);
  expect(written.out).toContain("sandbank fixtures check");
  const checked = await sandbank("fixtures", "check", folder.at("fixtures"));
  expect(checked).toMatchObject({ code: 0, err: "" });
  expect(checked.out).toContain("is right: 1 company, 1 account, 15 PIX keys.");
  writeFileSync(folder.at("fixtures/companies.yaml"), "mine");
  await sandbank("init", folder.at("."), "--fixtures");
  expect(readFileSync(folder.at("fixtures/companies.yaml"), "utf8")).toBe("mine");
});

test("fixtures check and serve end with 2 and the same lines, without a stack", async () => {
  using folder = folderWith({ "cards.yaml": "- { id: 1 }", "people.json": "{}" });
  const checked = await sandbank("fixtures", "check", folder.at("."));
  expect(checked.code).toBe(2);
  expect(checked.err.trim().split("\n")).toHaveLength(5);
  expect(checked.err).not.toContain("    at ");
  const served = await sandbank("serve", "--port", "0", "--fixtures", folder.at("."));
  expect(served).toMatchObject({ code: 2, err: checked.err });
});

test("fixtures check names a folder that does not exist, and schema prints the schema", async () => {
  const { code, err } = await sandbank("fixtures", "check", "no-such-folder");
  expect(code).toBe(2);
  expect(err).toContain("no-such-folder: the folder does not exist.");
  expect(JSON.parse((await sandbank("schema", "fixtures")).out)).toMatchObject({
    $id: "fixtures.schema.json",
  });
});

test("a scenario plays with companies, keys and bodies of its own folder", async () => {
  using folder = folderWith({});
  await sandbank("init", folder.at("."), "--fixtures");
  writeFileSync(
    folder.at("fixtures/bodies.yaml"),
    `extends: shipped
payout:
  mine:
    accountId: 44444444-4444-4444-8444-444444444444
    externalId: payout-1
    paymentMethod: PIX
    paymentData: { pixKey: supplier@pix.example }
    amount: { currency: BRL, value: "10.00" }
    description: Invoice 42
`,
  );
  mkdirSync(folder.at("scenarios"));
  writeFileSync(
    folder.at("scenarios/payout.yaml"),
    `name: A payout to a supplier of our own
fixtures: ../fixtures
start: 2026-11-20T09:00:00-03:00
steps:
  - call: GET /order/v1/banking/accounts
    as: my-company
    expect: { status: 200, body: { data: [{ fullName: My Company LTDA }] } }
  - call: createPayout
    as: my-company
    body: { $use: payout.mine }
    save: payout
    expect: { status: 201 }
  - advance: PT2H
  - expect:
      webhooks: [{ event: ORDER-PAYOUT.PAID }]
`,
  );
  const { code, out, err } = await sandbank("run", folder.at("scenarios"));
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain("1 passed");
});
