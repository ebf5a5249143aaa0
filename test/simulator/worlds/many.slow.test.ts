import type { SandboxObject } from "../../../src/server/access/sandbox-interface.ts";
import { type Asked, openPartner, payoutBody, subscriptionBody } from "../../partner.ts";
import { expect, onTestFinished, test } from "vitest";
import { loadFixtures } from "../../../src/server/access/fixture-files.ts";
import { ScriptedReceiver } from "../../../src/scenarios/receiver.ts";
import { transportTo } from "../../../src/simulator/webhooks/in-process.ts";
import { Worlds, WORLDS_MAX } from "../../../src/simulator/worlds/worlds.ts";

const START = "2026-11-20T09:00:00-03:00";

/** Several with each seed. */
const WORLDS = 40;

interface Made {
  readonly id: string;
  readonly companies: readonly { readonly token: string }[];
}

const tokenOf = ({ companies }: Made): string => companies[0]?.token ?? "";

test(
  "forty worlds run concurrently, and nothing leaks from one to another",
  { timeout: 120_000 },
  async () => {
    await using partner = await openPartner();
    const make = async (index: number): Promise<Made> => {
      const body = { name: `test ${index}`, seed: index % 10, start: START, mode: "frozen" };
      return (await partner.ask("POST", "/sandbox/worlds", { body })).body as Made;
    };
    const worlds = await Promise.all(Array.from({ length: WORLDS }, (_, index) => make(index)));
    expect(new Set(worlds.map(tokenOf)).size).toBe(WORLDS);
    const used = await Promise.all(
      worlds.map(async (world, index) => {
        const token = tokenOf(world);
        const ask = (method: string, path: string, body?: object) =>
          partner.ask(method, path, { token, ...(body && { body }) });
        const created = await ask(
          "POST",
          "/order/v1/banking/subscriptions",
          subscriptionBody({ externalId: `s-${index}` }),
        );
        await ask("POST", "/sandbox/acts/subscription.accept", { id: created.body["id"] });
        await ask("POST", "/sandbox/clock/advance", { by: `PT${index}M` });
        return { id: created.body["id"] as string, ask };
      }),
    );
    for (const [index, { id, ask }] of used.entries()) {
      const { data } = (await ask("GET", "/sandbox/resources/subscriptions")).body as {
        data: SandboxObject[];
      };
      expect(data).toMatchObject([{ id, externalId: `s-${index}`, status: "ACCEPTED" }]);
      const deliveries = (await ask("GET", "/sandbox/deliveries")).body["data"] as SandboxObject[];
      expect(deliveries.map(({ objectId }) => objectId as string)).toEqual([id]);
      // The same seed gives the same ids, whatever other worlds do; another seed gives others.
      expect(id === used[0]?.id).toBe(index % 10 === 0);
      const { now } = (await ask("GET", "/sandbox/clock")).body;
      expect(Date.parse(now as string) - Date.parse(START)).toBe(index * 60_000);
    }
    const { data } = (await partner.ask("GET", "/sandbox/resources/subscriptions")).body;
    expect(data).toEqual([]);
    for (const { id } of worlds)
      expect((await partner.ask("DELETE", `/sandbox/worlds/${id}`)).status).toBe(200);
    expect((await partner.ask("GET", "/sandbox/worlds")).body["data"]).toHaveLength(1);
    expect((await partner.ask("GET", "/sandbox/clock", { token: tokenOf(worlds[0]!) })).status).toBe(401);
  },
);

/** A text that one world alone was given. */
const MARK = /mark\d{3}mark/;
const MARKS = /mark\d{3}mark/g;

/** The first attempt of a webhook and its retries. */
const ATTEMPTS = 5;

/** Every view of a world. */
const VIEWS = [
  "/order/v1/banking/accounts",
  "/order/v1/webhook",
  "/order/v1/webhook/events",
  "/sandbox/timeline",
  "/sandbox/deliveries",
  "/sandbox/ledger",
  "/sandbox/plans",
  "/sandbox/faults",
  "/sandbox/snapshots",
  "/sandbox/inbox",
  "/sandbox/recording",
  ...["subscriptions", "orders", "payouts", "refunds", "claims", "webhook-events"].map(
    (collection) => `/sandbox/resources/${collection}`,
  ),
];

test(
  "no view of a world shows anything of another while all run concurrently",
  { timeout: 120_000 },
  async () => {
    await using partner = await openPartner();
    partner.receiver.script([503], { always: true });
    const live = async (index: number) => {
      // A mark that no other world knows, in every text that a partner chooses.
      const mark = `mark${String(index).padStart(3, "0")}mark`;
      const webhookUrl = `http://${mark}.example/webhooks`;
      const made = await partner.ask("POST", "/sandbox/worlds", {
        body: { name: mark, seed: index, start: START, mode: "frozen", webhookUrl },
      });
      const token = tokenOf(made.body as Made);
      const ask = (method: string, path: string, asked: Asked = {}) =>
        partner.ask(method, path, { token, ...asked });
      const body = subscriptionBody({ externalId: mark, description: mark, webhookUrl });
      const { id } = (await ask("POST", "/order/v1/banking/subscriptions", { body })).body;
      await ask("POST", "/sandbox/plans", { body: { plan: "payout.settlement", outcomes: ["ERROR"] } });
      await ask("POST", "/sandbox/acts/subscription.accept", { body: { id } });
      await ask("POST", "/order/v1/banking/order-payouts", {
        key: mark,
        body: payoutBody({ externalId: mark, description: mark }),
      });
      await ask("POST", "/sandbox/clock/advance", { body: { by: "P1D" } });
      await ask("POST", "/sandbox/snapshots");
      return { mark, id: id as string, token, ask };
    };
    const worlds = await Promise.all(Array.from({ length: WORLDS }, (_, index) => live(index)));
    for (const { mark, id, token, ask } of worlds) {
      const pages = await Promise.all(
        VIEWS.map(async (path) => {
          const response = await partner.sandbox.fetch(path, {
            headers: { authorization: `Bearer ${token}` },
          });
          expect(response.status).toBe(200);
          return response.text();
        }),
      );
      const shown = pages.join("\n");
      expect(new Set(shown.match(MARKS))).toEqual(new Set([mark]));
      expect(shown).toContain(id);
      const suffix = token.slice(token.indexOf("."));
      expect(
        (shown.match(/\b(?:acme|globex)[-a-z]*\.w\d+/g) ?? []).filter((one) => !one.endsWith(suffix)),
      ).toEqual([]);
      expect((await ask("GET", "/sandbox/clock")).body["now"]).toBe("2026-11-21T12:00:00.000Z");
    }
    const [one, other] = worlds;
    const stranger = await partner.ask("GET", `/order/v1/banking/subscriptions/${one!.id}`, {
      token: other!.token,
    });
    expect(stranger.status).toBe(404);
    expect(
      (await partner.ask("GET", `/sandbox/timeline?about=${one!.id}`, { token: other!.token })).status,
    ).toBe(404);
    // Every webhook went where its own world sends them, five attempts of two events.
    const { received } = partner.receiver;
    expect(received).toHaveLength(WORLDS * 2 * ATTEMPTS);
    for (const { url, body } of received) {
      const [mark = ""] = MARK.exec(url) ?? [];
      expect(new Set(body.match(MARKS))).toEqual(new Set([mark]));
    }
    const theDefault = await Promise.all(
      VIEWS.map(async (path) =>
        (await partner.sandbox.fetch(path, { headers: { authorization: "Bearer acme-token" } })).text(),
      ),
    );
    expect(theDefault.join("\n")).not.toMatch(MARK);
  },
);

test("a world that is not used for an hour is dropped; one that is used or watched stays", async () => {
  let now = Date.parse(START);
  const worlds = new Worlds({
    fixtures: loadFixtures(),
    transport: transportTo(new ScriptedReceiver()),
    wallNow: () => now,
    defaults: { seed: 1, start: now, mode: "frozen", assumptions: {}, webhookUrl: null },
    idleMs: 3_600_000,
  });
  onTestFinished(() => worlds.close());
  const [forgotten, used, watched] = [
    await worlds.create({}),
    await worlds.create({}),
    await worlds.create({}),
  ];
  const unwatch = watched.watch(() => undefined);
  const names = (): string[] => worlds.all().map(({ id }) => id);
  now += 3_599_999;
  expect(worlds.ofCredential(`acme-token${used.credentialSuffix}`)).toBe(used);
  worlds.dropIdle();
  expect(names()).toEqual(["default", forgotten.id, used.id, watched.id]);
  now += 1;
  worlds.dropIdle();
  expect(names()).toEqual(["default", used.id, watched.id]);
  unwatch();
  worlds.dropIdle();
  expect(names()).toEqual(["default", used.id]);
});

test(
  "a server with the maximum of worlds refuses another until one is dropped",
  { timeout: 120_000 },
  async () => {
    await using partner = await openPartner();
    const make = () => partner.ask("POST", "/sandbox/worlds", { body: { start: START } });
    const made: string[] = [];
    for (let count = 1; count < WORLDS_MAX; count++) made.push((await make()).body["id"] as string);
    const full = await make();
    expect(full.status).toBe(400);
    expect(JSON.stringify(full.body)).toContain(`at most ${WORLDS_MAX} worlds`);
    expect((await partner.ask("POST", "/sandbox/fork")).status).toBe(400);
    await partner.ask("DELETE", `/sandbox/worlds/${made[0]}`);
    expect((await make()).status).toBe(201);
  },
);

test("an invalid idle time is refused", async () => {
  await expect(openPartner({ worldIdle: "soon" })).rejects.toThrow("must be an ISO 8601 duration");
});
