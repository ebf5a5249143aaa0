import { expect, test } from "vitest";
import { createUntypedSandbox, subscriptionBody } from "../../partner.ts";
import { openBench } from "./faults/on-the-wire.ts";

async function attemptTo(webhookUrl: string, options: Parameters<typeof createUntypedSandbox>[0] = {}) {
  await using sandbox = await createUntypedSandbox({ start: "2026-11-20T09:00:00-03:00", ...options });
  const { url } = await sandbox.listen();
  const created = await sandbox.fetch("/order/v1/banking/subscriptions", {
    method: "POST",
    headers: { authorization: "Bearer acme-token" },
    body: JSON.stringify(subscriptionBody({ webhookUrl: webhookUrl.replace("SANDBOX", new URL(url).port) })),
  });
  const { id } = (await created.json()) as { id: string };
  await sandbox.act("subscription.accept", { id });
  await sandbox.advance("PT0S");
  const [delivery] = await sandbox.deliveries();
  return delivery?.["attempts"][0] as { error: string | null; message: string };
}

test.each([
  "http://169.254.169.254/latest/meta-data",
  "http://[fe80::1]/",
  "http://0.0.0.0/",
  "http://[::ffff:169.254.169.254]/",
  "http://2852039166/",
])("a webhook to %s is refused as the attempt is made", async (url) => {
  expect((await attemptTo(url)).error).toBe("egress-blocked");
});

test("the sandbox's own port is refused", async () => {
  const { error, message } = await attemptTo("http://localhost:SANDBOX/sandbox/reset");
  expect(error).toBe("egress-blocked");
  expect(message).toContain("is the sandbox itself");
});

test("only a refusal that a setting would lift says which one", async () => {
  const { message: never } = await attemptTo("http://169.254.169.254/");
  expect(never).toContain("Register another URL: no setting allows this one.");
  const hosted = { assumptions: { "webhook.egress": "hosted" } } as const;
  const { message: near } = await attemptTo("http://10.99.98.97/", hosted);
  expect(near).toContain("Register another URL, or change the egress mode or its allow-list.");
});

test("in hosted mode loopback is refused, unless the allow-list names it", async () => {
  await using bench = await openBench();
  const { url } = await bench.happen();
  const hosted = { assumptions: { "webhook.egress": "hosted" } };
  expect((await attemptTo(url as string, hosted)).error).toBe("egress-blocked");
  expect((await attemptTo(url as string, { ...hosted, egressAllow: ["127.0.0.0/8"] })).error).toBeNull();
  expect((await attemptTo(url as string)).error).toBeNull();
});

test("each world uses its own mode", async () => {
  await using bench = await openBench();
  const made = await bench.sandbox.fetch("/sandbox/worlds", {
    method: "POST",
    body: JSON.stringify({ mode: "frozen", assumptions: { "webhook.egress": "hosted" } }),
  });
  const { companies } = (await made.json()) as { companies: { token: string }[] };
  const headers = { authorization: `Bearer ${companies[0]?.token}` };
  const send = (path: string, body: object) =>
    bench.sandbox.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  const created = await send("/order/v1/banking/subscriptions", subscriptionBody());
  const { id } = (await created.json()) as { id: string };
  await send("/sandbox/acts/subscription.accept", { id });
  await send("/sandbox/clock/advance", { by: "PT0S" });
  const listed = await bench.sandbox.fetch("/sandbox/deliveries", { headers });
  expect(await listed.json()).toMatchObject({ data: [{ attempts: [{ error: "egress-blocked" }] }] });
  expect(bench.arrived).toEqual([]);
});

test("an allow-list that cannot be read is reported before anything starts", async () => {
  await expect(createUntypedSandbox({ egressAllow: ["anywhere"] })).rejects.toThrow(
    "neither an address nor a CIDR range",
  );
});
