import { createEgress } from "../../../src/simulator/webhooks/egress-guard.ts";
import { expect, test } from "vitest";
import { sendWebhook } from "../../../src/simulator/webhooks/wire.ts";
import { answering } from "./loopback.ts";
import { traced } from "../../tracer.ts";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { receiverReport } from "../../../src/checks/receiver/receiver-check.ts";

const REQUEST = {
  headers: { "Content-Type": "application/json", "X-Signature-SHA256": "sha256=00" },
  body: Buffer.from("{}"),
  deadlineMs: 20_000,
};

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

/** Removes the signature, in any letters. */
function withoutSignature(headers: Record<string, unknown>): void {
  for (const name of Object.keys(headers)) if (/signature/iu.test(name)) delete headers[name];
}

test("a webhook keeps its headers if a tracer copies them, and has the tracer's own", async () => {
  await using receiver = await answering(OK);
  await sendWebhook({ ...REQUEST, url: receiver.url }, createEgress());
  {
    using _tracer = traced();
    expect(await sendWebhook({ ...REQUEST, url: receiver.url }, createEgress())).toMatchObject({
      status: 200,
    });
  }
  const [usual = [], inTrace = []] = receiver.seen.map(({ pieces }) => pieces.join("").trim().split("\r\n"));
  expect(inTrace.filter((line) => !line.startsWith("traceparent: "))).toEqual(usual);
  expect(inTrace).toHaveLength(usual.length + 1);
});

test("a webhook whose signature gets lost in the process is not sent", async () => {
  await using receiver = await answering(OK);
  using _tracer = traced(withoutSignature);
  expect(await sendWebhook({ ...REQUEST, url: receiver.url }, createEgress())).toMatchObject({
    status: null,
    error: "changed",
    message:
      "Failed to deliver: other code in this process changed the request before it was sent (X-Signature-SHA256). Start sandbank without this code: look at NODE_OPTIONS, --import and --require.",
  });
  expect(receiver.seen).toEqual([]);
});

test("receiver check gives no verdict if the process changes the requests", async () => {
  await using receiver = await answering(OK);
  using _tracer = traced(withoutSignature);
  await expect(receiverReport({ url: receiver.url, openSandbox, seed: 7 })).rejects.toThrow(
    /^Failed to deliver: other code in this process changed the request before it was sent/u,
  );
});
