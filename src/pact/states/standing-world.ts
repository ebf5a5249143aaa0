import type { AssumptionValues } from "../../platform/assumptions/assumptions.ts";
import type { Fetch, OpenWorld } from "../../scenarios/world.ts";
import type { World } from "../../worlds/world.ts";
import { accessTokens } from "../../platform/companies/access.ts";
import { assume } from "../../platform/assumptions/assumptions.ts";
import { companies } from "../../platform/companies/company.ts";
import { overrideWebhookUrl, webhookOverride } from "../../platform/world-settings.ts";
import { parseInstant } from "../../engine/instant.ts";
import { readAssumptions } from "../../platform/assumptions/reading.ts";
import { transportTo } from "../../webhooks/in-process.ts";

/** Where the events of a state go when nobody said where. */
export const STATE_RECEIVER_URL = "http://receiver.example/webhooks";

/**
 * Lets a scenario run in a world that stands already, on top of what is there. Meanwhile its webhooks go to the
 * scenario's own receiver and nowhere else. A `start` that is still ahead is advanced to; what the scenario
 * assumes holds from now on.
 */
export function openStandingWorld(world: World, fetch: Fetch, assumed: AssumptionValues): OpenWorld {
  return async function openWorld({ receiver, start, assumptions }) {
    const { values } = readAssumptions(assumptions ?? {});
    command(world, (tx) => assume(tx, { ...world.settings.assumptions, ...assumed, ...values }));
    const instant = start === undefined ? undefined : parseInstant(start);
    if (instant !== undefined && instant > world.now) await world.advance({ to: instant });
    const backFromReceiver = world.overrideTransport(transportTo(receiver));
    const backFromUrl = sendSomewhere(world);
    return {
      fetch,
      tokens: tokensOf(world),
      receiver,
      [Symbol.asyncDispose]: async () => {
        await world.settled();
        backFromUrl();
        backFromReceiver();
      },
    };
  };
}

/** Gives every event somewhere to go, for as long as it takes: without a URL an event is not sent at all. */
export function sendSomewhere(world: World): () => void {
  if (webhookOverride(world.records) !== null) return () => {};
  command(world, (tx) => overrideWebhookUrl(tx, STATE_RECEIVER_URL));
  return () => command(world, (tx) => overrideWebhookUrl(tx, null));
}

function command(world: World, change: Parameters<World["execute"]>[1]): void {
  world.execute({ by: "control", name: "provider state" }, change);
}

/** The good token of each company, by the company's name. */
function tokensOf(world: World): Record<string, string> {
  const { records } = world;
  const tokens = [...records.all(accessTokens)].filter(({ scopes }) => scopes.length > 0);
  return Object.fromEntries(
    Array.from(records.all(companies), ({ id }): [string, string] => [
      id,
      tokens.find(({ companyId }) => companyId === id)?.id ?? "",
    ]),
  );
}
