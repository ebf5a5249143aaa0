import { createEgress } from "../../../src/simulator/webhooks/egress-guard.ts";
import { expect, test } from "vitest";
import { sendWebhook } from "../../../src/simulator/webhooks/wire.ts";

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
  expect(message).toContain("host.docker.internal");
});

test("outside a container a refused localhost comes without that note", async () => {
  const { message } = await sendWebhook(request, createEgress());
  expect(message).not.toContain("container");
});
