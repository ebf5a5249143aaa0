import { createEgress } from "../../../src/simulator/webhooks/egress-guard.ts";
import { afterEach, expect, test, vi } from "vitest";
import { sandbank } from "../../cli/command.ts";
import { connectFailure } from "../../../src/simulator/webhooks/connection.ts";
import { sendWebhook } from "../../../src/simulator/webhooks/wire.ts";

afterEach(() => void vi.unstubAllEnvs());

const request = {
  url: "http://localhost:1/webhooks",
  headers: {},
  body: Buffer.from("{}"),
  deadlineMs: 2_000,
};

test("inside a container, a refused localhost comes with a note that it is the container itself", async () => {
  const { error, message } = await sendWebhook(request, createEgress({ isContained: true }));
  expect(error).toBe("refused");
  expect(message).toContain("this address is the container itself");
  expect(message).toContain("If the receiver runs in it too, start the receiver.");
  expect(message).toContain("host.docker.internal (Podman: host.containers.internal)");
});

test("inside a container, a private address that refuses comes with the address to listen on", async () => {
  const failure = connectFailure(
    Object.assign(new Error("refused"), { code: "ECONNREFUSED" }),
    { host: "receiver", port: 4011 },
    ["10.88.0.1"],
    createEgress({ isContained: true }),
  );
  expect(failure.message).toBe(
    "Failed to deliver: receiver:4011 refuses connections (ECONNREFUSED, tried 10.88.0.1). The sandbox runs in a container. Start the receiver, let it listen on 0.0.0.0 and not only on 127.0.0.1, or correct the host and port in the webhook URL.",
  );
});

test("outside a container a refused localhost comes without that note", async () => {
  const { message } = await sendWebhook(request, createEgress());
  expect(message).not.toContain("container");
});

test.each([
  ["trigger", "ORDER-PAYOUT.PAID", "--to"],
  ["receiver", "check"],
  ["run", "scenarios/payouts/comes-back.yaml", "--receiver"],
])("inside a container, `%s` says that localhost is the container itself", async (...words) => {
  vi.stubEnv("container", "oci");
  const { err, out } = await sandbank(...words, "http://127.0.0.1:1/webhooks");
  expect(err + out).toContain("this address is the container itself");
});
