import { expect, test } from "vitest";
import { type Partner, openPartner } from "../../partner.ts";
import { operations } from "../../../src/simulator/api/operations.ts";

/** The served documents, sent to their own server: every example of a body, in an order in which it makes sense. */
interface Described {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly {
    readonly $ref?: string;
    readonly name: string;
    readonly in: string;
    readonly example: unknown;
  }[];
  readonly bodies: readonly unknown[];
}

type Ids = Readonly<Record<string, string>>;

/** Reads the operations of a served document. */
async function described(partner: Partner, path: string): Promise<ReadonlyMap<string, Described>> {
  const { body } = await partner.ask("GET", path, { token: null });
  const paths = body["paths"] as Readonly<Record<string, Readonly<Record<string, never>>>>;
  return new Map(
    Object.entries(paths).flatMap(([at, item]) =>
      Object.entries(item).map(([method, operation]) => {
        const { operationId, parameters, requestBody } = operation as {
          operationId: string;
          parameters: Described["parameters"];
          requestBody?: { content: Readonly<Record<string, { examples?: object; example?: unknown }>> };
        };
        const bodies = Object.values(requestBody?.content ?? {}).flatMap(({ examples, example }) =>
          examples === undefined
            ? [example]
            : Object.values(examples).map(({ value }: { value: unknown }) => value),
        );
        return [operationId, { method: method.toUpperCase(), path: at, parameters, bodies }];
      }),
    ),
  );
}

interface Sending {
  /** Values in place of those in the path of the example. */
  readonly path?: Ids;
  readonly body?: Ids;
  /** Which example. */
  readonly at?: number;
}

let keys = 0;

/** Sends an example of an operation, which must succeed. */
async function send(
  partner: Partner,
  operations: ReadonlyMap<string, Described>,
  id: string,
  { path = {}, body = {}, at = 0 }: Sending = {},
) {
  const operation = operations.get(id);
  if (operation === undefined) throw new Error(`There is no operation ${id}.`);
  const { method, parameters, bodies } = operation;
  const url = parameters.reduce((text, { name, in: place, example }) => {
    if (place === "path")
      return text.replace(
        `{${name}}`,
        String(path[name] ?? example)
          .split("/")
          .map(encodeURIComponent)
          .join("/"),
      );
    // The answer of a page has the value for the next one.
    if (place !== "query" || name === "before") return text;
    return `${text}${text.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(String(example))}`;
  }, operation.path);
  const example = bodies[at];
  const asked = await partner.ask(method, url.replace(/&?format=json/, ""), {
    key: `00000000-0000-4000-8000-${String(++keys).padStart(12, "0")}`,
    ...(operation.path.startsWith("/sandbox/") && { token: null }),
    ...(example !== undefined && {
      body: typeof example === "string" ? example : { ...(example as object), ...body },
    }),
  });
  expect([id, at, asked.status < 300, asked.body]).toEqual([id, at, true, asked.body]);
  return asked.body as Record<string, string>;
}

const DAYS = ["2026-11-20T09:00:00-03:00", "2027-02-28T23:30:00-03:00", "2028-12-31T00:10:00-03:00"];

test.each([...DAYS, "the default clock"])(
  "every example of the platform API is accepted on %s",
  async (start) => {
    const options = start.startsWith("2")
      ? { start }
      : { mode: "running" as const, start: new Date().toISOString() };
    await using partner = await openPartner({ ...options, webhookUrl: undefined });
    const document = await described(partner, "/openapi.json");
    const sent = new Set<string>();
    const call = async (id: string, sending: Sending = {}): Promise<Record<string, string>> => {
      sent.add(id);
      return send(partner, document, id, sending);
    };
    const { id: first = "" } = await call("createSubscription");
    const { id = "" } = await call("createSubscription", { at: 1 });
    await call("getSubscription", { path: { id } });
    await partner.act("subscription.accept", { id: first });
    const { id: charge = "" } = await call("createScheduledPayment", { path: { id: first } });
    await partner.sandbox.plan({
      plan: "scheduled-payment.settlement",
      on: charge,
      outcomes: ["INSUFFICIENT_BALANCE", "INSUFFICIENT_BALANCE"],
    });
    await partner.advance("P6D");
    await call("createScheduledPayment", {
      path: { id: first },
      body: { originalScheduledPaymentId: charge },
      at: 1,
    });
    const { id: orderId = "" } = await call("createTransparentOrder");
    await call("createTransparentOrder", { at: 1 });
    await call("createTransparentOrderV3");
    await partner.act("order.pay", { id: orderId });
    await call("refundOrder", { body: { orderId } });
    await call("createPayout");
    await call("createPayout", { at: 1 });
    const { claimId = "" } = await call("createClaim");
    const codes = async () => {
      const { body } = await partner.ask("GET", "/sandbox/inbox");
      return (body["data"] as Record<string, string>[]).at(-1) ?? {};
    };
    const { validationId = "" } = await codes();
    await call("resendClaimCode", { body: { validationId } });
    const { code = "", validationId: resent = validationId } = await codes();
    await call("confirmClaim", { body: { validationId: resent, code } });
    await call("cancelClaim", { path: { claimId } });
    // The token endpoint takes a form, and a donor is asked by another company.
    const others = new Set(["issueToken", "requestDonorConfirmation", "confirmDonor"]);
    // All other operations need no object of an earlier call.
    const rest = Object.keys(operations).filter((id) => !sent.has(id) && !others.has(id));
    for (const id of rest) await call(id);
    expect(new Set([...sent, ...others])).toEqual(new Set(Object.keys(operations)));
  },
);

test.each([...DAYS, "the default clock"])(
  "every example of the sandbox's own API is accepted on %s",
  async (start) => {
    const options = start.startsWith("2")
      ? { start }
      : { mode: "running" as const, start: new Date().toISOString() };
    await using partner = await openPartner(options);
    const document = await described(partner, "/sandbox/openapi.json");
    const sent = new Set<string>();
    const call = async (id: string, sending: Sending = {}): Promise<Record<string, string>> => {
      sent.add(id);
      return send(partner, document, id, sending);
    };
    const payout = await send(partner, await described(partner, "/openapi.json"), "createPayout");
    const reads = [...document].filter(([, { method }]) => method === "GET");
    // They have no end, no JSON body, or need a server process.
    const others = [
      "describeApi",
      "endTurn",
      "showReadiness",
      "showRecording",
      "streamAttempts",
      "streamTimeline",
      "streamTurns",
    ];
    // What the platform does after a while, and what the sandbox has from the examples themselves.
    for (const id of [
      "advanceClock",
      "addFollower",
      "updateFollower",
      "takeSnapshot",
      "addPlan",
      "addFault",
      "reportAttempts",
    ])
      await call(id);
    await call("removeFollower");
    const { body: deliveries } = await partner.ask("GET", "/sandbox/deliveries");
    const [delivery] = deliveries["data"] as readonly { readonly id: string }[];
    const { body: requests } = await partner.ask("GET", "/sandbox/requests");
    const [request] = requests["data"] as readonly { readonly id: string }[];
    await call("addScenario");
    await call("addScenario", { at: 1 });
    for (const [id, { path }] of reads)
      if (!others.includes(id))
        await call(id, {
          path: {
            ...(path.startsWith("/sandbox/deliveries") && { id: delivery?.id ?? "" }),
            ...(path.startsWith("/sandbox/requests") && { id: request?.id ?? "" }),
          },
        });
    for (const id of ["resendDelivery", "verifyDelivery"])
      await call(id, { path: { id: delivery?.id ?? "" } });
    for (const id of [
      "resendDeliveries",
      "performAct",
      "changeSettings",
      "runScenario",
      "enterProviderState",
      "showMessage",
    ])
      await call(id);
    await call("setClock");
    for (const id of ["restoreSnapshot", "removeSnapshot", "removeFault", "removeFaults", "removePlans"]) {
      if (id === "removeFault") await call("addFault");
      await call(id);
    }
    await call("createWorld");
    for (const id of ["dropWorld", "forkWorld", "resetWorld"]) await call(id);
    expect(payout["id"]).toBeDefined();
    expect([...sent, ...others].toSorted()).toEqual([...document.keys()].toSorted());
  },
);

test("a served document names its address, a token of its world and the statuses of its world", async () => {
  await using partner = await openPartner();
  const world = (await partner.ask("POST", "/sandbox/worlds", { token: null, body: { seed: 3 } })).body;
  const [{ token }] = world["companies"] as [{ token: string }];
  const { url } = await partner.sandbox.listen();
  const read = async (path: string, headers = {}) =>
    JSON.stringify(await (await fetch(url + path, { headers })).json());
  for (const path of ["/openapi.json", "/sandbox/openapi.json"]) {
    const text = await read(path);
    expect(JSON.parse(text)).toMatchObject({ servers: [{ url }] });
    expect(text).toContain("The token `acme-token` works at once.");
    expect(await read(path, { authorization: `Bearer ${token}` })).toContain(
      `The token \`${token}\` works at once.`,
    );
  }
  const statusesOf = async (id: string) => {
    const { paths } = JSON.parse(await read("/openapi.json")) as {
      paths: Record<string, Record<string, never>>;
    };
    const all = Object.values(paths).flatMap((item) => Object.values(item)) as {
      operationId: string;
      responses: object;
    }[];
    return Object.keys(all.find(({ operationId }) => operationId === id)?.responses ?? {})[0];
  };
  expect([await statusesOf("createPayout"), await statusesOf("cancelClaim")]).toEqual(["201", "200"]);
  const assumptions = { "http.statuses": "created-200", "http.statuses-of-actions": "201" };
  await partner.ask("PATCH", "/sandbox/settings", { token: null, body: { assumptions } });
  expect([await statusesOf("createPayout"), await statusesOf("cancelClaim")]).toEqual(["200", "201"]);
});
