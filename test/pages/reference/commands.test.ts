import { commandOf, commandsOf, run } from "./commands.ts";
import { expect, test } from "vitest";
import { type Partner, openPartner } from "../../partner.ts";

const readPage = async ({ sandbox }: Partner): Promise<string> => (await sandbox.fetch("/docs")).text();

interface Documented {
  readonly operationId: string;
  readonly responses: object;
  readonly path: string;
}

/** Every operation of both documents. */
async function documentedBy({ sandbox }: Partner): Promise<Map<string, Documented>> {
  const found = new Map<string, Documented>();
  for (const address of ["/openapi.json", "/sandbox/openapi.json"]) {
    const { paths } = (await (await sandbox.fetch(address)).json()) as {
      readonly paths: Record<string, Record<string, Omit<Documented, "path">>>;
    };
    for (const [path, item] of Object.entries(paths))
      for (const operation of Object.values(item)) found.set(operation.operationId, { ...operation, path });
  }
  return found;
}

/** Operations that cannot succeed in a new sandbox: they need an object that does not exist yet. */
const needing = new Set([
  "getSubscription",
  "createScheduledPayment",
  "confirmClaim",
  "resendClaimCode",
  "cancelClaim",
  "requestDonorConfirmation",
  "confirmDonor",
  "refundOrder",
  // Its body is a scenario file, of which the document has no example.
  "addScenario",
]);

test("every command of the page succeeds in a new sandbox, or is refused as documented", async () => {
  await using partner = await openPartner();
  const documented = await documentedBy(partner);
  const commands = commandsOf(await readPage(partner));
  const sections = new Set(commands.map(({ section }) => section));
  expect([...documented.keys()].filter((operationId) => !sections.has(operationId))).toEqual([]);
  await using fresh = await openPartner();
  const answers: [string, number][] = [];
  for (const { section, line } of commands) {
    const response = await run(fresh.sandbox, line);
    answers.push([section, response.status]);
    await response.body?.cancel();
  }
  const undocumented = answers.filter(([section, status]) => {
    const { responses = { 200: true } } = documented.get(section) ?? {};
    return !Object.keys(responses).map(Number).includes(status);
  });
  expect(undocumented).toEqual([]);
  const unexpected = answers.filter(([section, status]) => {
    if (needing.has(section)) return status !== 400 && status !== 404;
    // A sandbox in this process listens on no port.
    if (section === "showReadiness") return status !== 503;
    const { path = "" } = documented.get(section) ?? {};
    // The id of an example is none of this sandbox.
    return status >= 300 && !(status === 404 && path.startsWith("/sandbox/") && path.includes("{"));
  });
  expect(unexpected).toEqual([]);
});

test.each(["curl", "TypeScript", "Python", "Java", "Go", "C#", "PHP"])(
  "every request of the page is there in %s, with the ids of this sandbox",
  async (language) => {
    await using partner = await openPartner();
    const { sandbox } = partner;
    const created = await run(sandbox, commandOf(await readPage(partner), "createSubscription"));
    const { id } = (await created.json()) as { id: string };
    const response = await sandbox.fetch(`/docs/samples/${encodeURIComponent(language)}`);
    const samples = (await response.json()) as Record<string, string>;
    const ids = Array.from((await readPage(partner)).matchAll(/data-sample="([^"]+)"/g), ([, one]) => one);
    expect(new Set(Object.keys(samples))).toEqual(new Set(ids));
    expect(samples["getSubscription.0"]).toContain(`/order/v1/banking/subscriptions/${id}`);
    expect(samples["createPayout.0"]).toContain("acme-token");
    expect(samples["advanceClock.0"]).toContain("/sandbox/clock/advance");
  },
);

test("a language that has no samples is not found", async () => {
  await using partner = await openPartner();
  expect((await partner.sandbox.fetch("/docs/samples/constructor")).status).toBe(404);
});

test("a payout command that is run again returns the first answer", async () => {
  await using partner = await openPartner();
  const line = commandOf(await readPage(partner), "createPayout");
  const [first, second] = [await run(partner.sandbox, line), await run(partner.sandbox, line)];
  expect(second.headers.get("idempotency-replayed")).toBe("true");
  expect(await second.text()).toBe(await first.text());
});

test("commands have the ids of objects that exist, and then succeed", async () => {
  await using partner = await openPartner();
  const { sandbox } = partner;
  const succeed = async (operationId: string): Promise<Record<string, string>> => {
    const response = await run(sandbox, commandOf(await readPage(partner), operationId));
    const body = (await response.json()) as Record<string, string>;
    expect([operationId, response.status < 300, body]).toEqual([operationId, true, body]);
    return body;
  };
  const { id: first } = await succeed("createSubscription");
  expect((await succeed("getSubscription"))["id"]).toBe(first);
  const { id } = await succeed("createSubscription");
  await partner.act("subscription.accept", { id });
  expect((await succeed("createScheduledPayment"))["subscriptionId"]).toBe(id);
  const { id: order } = await succeed("createTransparentOrder");
  await partner.act("order.pay", { id: order });
  expect((await succeed("refundOrder"))["orderId"]).toBe(order);
  const { claimId } = await succeed("createClaim");
  await succeed("resendClaimCode");
  await succeed("confirmClaim");
  expect((await succeed("cancelClaim"))["claimId"]).toBe(claimId);
});

test("a page of a sandbox with an admin token names no objects and no codes", async () => {
  await using partner = await openPartner({ adminToken: "open-sesame" });
  const { sandbox } = partner;
  const page = await readPage(partner);
  for (const operationId of ["createSubscription", "createClaim"])
    expect((await run(sandbox, commandOf(page, operationId))).status).toBe(201);
  expect(await readPage(partner)).toBe(page);
});

test("a claim by another company can be answered as its donor", async () => {
  await using partner = await openPartner();
  const claimed = await partner.ask("POST", `/order/v1/banking/accounts/${GLOBEX_ACCOUNT}/keys/claims`, {
    token: "globex-token",
    body: { type: "OWNERSHIP", key: { type: "PHONE", value: ACME_KEY } },
  });
  expect(claimed.status).toBe(201);
  const asked = await run(partner.sandbox, commandOf(await readPage(partner), "requestDonorConfirmation"));
  expect(asked.status).toBe(200);
  const confirmed = await run(partner.sandbox, commandOf(await readPage(partner), "confirmDonor"));
  expect(await confirmed.json()).toMatchObject({ claimId: claimed.body["claimId"] });
});

const GLOBEX_ACCOUNT = "22222222-2222-4222-8222-222222222222";
const ACME_KEY = "+5511987650001";

test("the dates of commands are those of the world's clock", async () => {
  await using partner = await openPartner({ start: "2031-03-01T09:00:00-03:00" });
  const line = commandOf(await readPage(partner), "createSubscription");
  expect(line).toContain('"startDate": "2031-03-06"');
  expect((await run(partner.sandbox, line)).status).toBe(201);
});

test("quoted text inside a command is one word of the shell", async () => {
  await using partner = await openPartner();
  const response = await run(
    partner.sandbox,
    String.raw`curl -X POST 'http://x/sandbox/acts/it'\''s' -d '{}'`,
  );
  expect(await response.text()).toContain("it's");
});
