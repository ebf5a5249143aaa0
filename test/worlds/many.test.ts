import type { SandboxObject } from "../../src/sandbox.ts";
import { expect, test } from "vitest";
import { openPartner, subscriptionBody } from "../partner.ts";
import { setTimeout as pause } from "node:timers/promises";
import { WORLDS_MAX } from "../../src/worlds/worlds.ts";

const START = "2026-11-20T09:00:00-03:00";

interface Made {
  readonly id: string;
  readonly companies: readonly { readonly token: string }[];
}

const tokenOf = ({ companies }: Made): string => companies[0]?.token ?? "";

test(
  "two hundred worlds live side by side, and nothing leaks from one to another",
  { timeout: 120_000 },
  async () => {
    await using partner = await openPartner();
    const make = async (index: number): Promise<Made> => {
      const body = { name: `test ${index}`, seed: index % 10, start: START, mode: "frozen" };
      return (await partner.ask("POST", "/sandbox/worlds", { body })).body as Made;
    };
    const worlds = await Promise.all(Array.from({ length: 200 }, (_, index) => make(index)));
    expect(new Set(worlds.map(tokenOf)).size).toBe(200);
    const told = await Promise.all(
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
    for (const [index, { id, ask }] of told.entries()) {
      const { data } = (await ask("GET", "/sandbox/resources/subscriptions")).body as {
        data: SandboxObject[];
      };
      expect(data).toMatchObject([{ id, externalId: `s-${index}`, status: "ACCEPTED" }]);
      const deliveries = (await ask("GET", "/sandbox/deliveries")).body["data"] as SandboxObject[];
      expect(deliveries.map(({ objectId }) => objectId as string)).toEqual([id]);
      // The same seed gives the same ids, whatever the worlds beside it do; another seed gives others.
      expect(id === told[0]?.id).toBe(index % 10 === 0);
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

test("a world that nobody asks for is dropped; one that is asked for, or looked at, stays", async () => {
  await using partner = await openPartner({ worldIdle: "PT0.3S" });
  const make = async () =>
    (await partner.ask("POST", "/sandbox/worlds", { body: { start: START } })).body as Made;
  const [forgotten, used, watched] = [await make(), await make(), await make()];
  const stream = await partner.sandbox.fetch("/sandbox/timeline/stream", {
    headers: { authorization: `Bearer ${tokenOf(watched)}` },
  });
  for (let turn = 0; turn < 8; turn++) {
    await pause(100);
    await partner.ask("GET", "/order/v1/banking/accounts", { token: tokenOf(used) });
  }
  const { data } = (await partner.ask("GET", "/sandbox/worlds")).body as { data: { id: string }[] };
  expect(data.map(({ id }) => id)).toEqual(["default", used.id, watched.id]);
  expect((await partner.ask("GET", "/order/v1/banking/accounts", { token: tokenOf(forgotten) })).status).toBe(
    401,
  );
  await stream.body?.cancel();
});

test(
  "a server that is full of worlds says so, and takes another once one is dropped",
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

test("an idle time that is none is refused", async () => {
  await expect(openPartner({ worldIdle: "soon" })).rejects.toThrow("no duration");
});
