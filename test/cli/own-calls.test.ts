import { createSandbox } from "../../src/index.ts";
import { expect, test } from "vitest";
import { folderWith } from "./scenario-files.ts";
import { sandbank } from "./command.ts";

const CALLS = `name: Its token expires
steps:
  - call: createPayout
    body: { $use: payout.pix }
    repeat: 2
`;

test("certify judges a client by its own calls, and not by those of our commands", async () => {
  await using sandbox = await createSandbox();
  const { url } = await sandbox.listen();
  await sandbox.sendWebhooksTo(`${url}/no-receiver`);
  using folder = folderWith({ "calls.yaml": CALLS });
  const own = [
    ["trigger", "ORDER-PAYOUT.PAID"],
    ["secret", "print"],
    ["secret", "rotate"],
    ["run", folder.at("calls.yaml")],
    ["health"],
  ];
  for (const words of own) await sandbank(...words, "--target", url);
  const answer = await sandbox.fetch("/sandbox/requests");
  const { data } = (await answer.json()) as {
    data: { operationId: string | null; requestHeaders: object }[];
  };
  const calls = data.filter(({ operationId }) => operationId !== null);
  expect(calls).toHaveLength(3);
  for (const { requestHeaders } of calls) expect(requestHeaders).toMatchObject({ "user-agent": "sandbank" });
  const certify = ["certify", "--target", url, "--out", folder.at("report.html")];
  const without = await sandbank(...certify);
  expect([without.code, without.err]).toEqual([2, expect.stringContaining("is empty. Run your client")]);
  await sandbox.fetch("/order/v1/banking/accounts", { headers: { authorization: "Bearer acme-token" } });
  expect((await sandbank(...certify)).code).toBe(0);
});
