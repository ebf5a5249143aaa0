import { createSandbox } from "../../src/library/sandbox.ts";
import { expect, test } from "vitest";
import { isOwnName } from "../../src/server/inbound-requests.ts";
import { settings } from "../../src/server/settings/settings.ts";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

test.each([
  ["sandbank.payments.svc", true],
  ["sandbank.payments.svc.cluster.local", true],
  ["sandbank.payments", false],
  ["svc.example.com", false],
  ["localhost.", true],
  ["sandbank.payments.svc.cluster.local.", true],
  ["svc.example.com.", false],
])("the name %s is one of a private network: %s", (name, expected) => {
  expect(isOwnName(name, [])).toBe(expected);
});

test.each(["sandbank.example", "sandbank.example.", ".example", ".example."])(
  "the allowed host %s admits requests to it with and without a dot at the end",
  (written) => {
    const read = settings["allowed-hosts"].type.read([written]);
    const names = "value" in read ? read.value : [];
    for (const host of ["sandbank.example", "sandbank.example."]) expect(isOwnName(host, names)).toBe(true);
    expect(isOwnName("example.org.", names)).toBe(false);
  },
);

test("the refusal of a name says how to allow it", async () => {
  await using sandbox = await createSandbox();
  const { url } = await sandbox.listen();
  const answer = await new Promise<IncomingMessage>((resolve) => {
    request(`${url}/sandbox/clock`, { headers: { host: "sandbank.payments:4010" } }, resolve).end();
  });
  expect(answer.statusCode).toBe(403);
  expect(await text(answer)).toContain("--allowed-hosts sandbank.payments,");
});
