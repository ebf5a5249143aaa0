import type { paths } from "./sandbox-api-types.js";
import { ACME_ACCOUNT, check } from "./outside.js";
import createClient from "openapi-fetch";

/** A world of its own, an act, a move of the clock and a refusal, by openapi-fetch with the types of openapi-typescript. */
export async function play(url: string): Promise<void> {
  const anyone = createClient<paths>({ baseUrl: url });
  const { data: world } = await anyone.POST("/sandbox/worlds", { body: { mode: "frozen", seed: 7 } });
  check(world !== undefined && world.clock.mode === "frozen", "no world was made");
  const [company] = world.companies;
  check(company !== undefined && company.webhookUrl === null, "the company has a webhook URL");
  const sandbox = createClient<paths>({
    baseUrl: url,
    headers: { authorization: `Bearer ${company.token}` },
  });

  const act = { params: { path: { act: "account.deposit" } } } as const;
  const deposit = await sandbox.POST("/sandbox/acts/{act}", {
    ...act,
    body: { id: ACME_ACCOUNT, amount: "10.00" },
  });
  check(deposit.response.ok, "nothing was deposited");
  const { data: ledger } = await sandbox.GET("/sandbox/ledger");
  check(ledger?.balanced === true, "the ledger is not balanced");
  const { data: advanced } = await sandbox.POST("/sandbox/clock/advance", { body: { by: "PT1M" } });
  check(advanced?.happened.length === 0, "something happened");
  const { data: deliveries } = await sandbox.GET("/sandbox/deliveries", {
    params: { query: { status: "undelivered", last: 3 } },
  });
  check(deliveries?.data.length === 0, "there is an undelivered webhook");

  const { error } = await sandbox.POST("/sandbox/acts/{act}", { ...act, body: { id: "nobody" } });
  check(error !== undefined && error.details.length > 0, "a wrong act is not refused");
  const dropped = await anyone.DELETE("/sandbox/worlds/{id}", { params: { path: { id: world.id } } });
  check(dropped.data?.dropped === true, "the world is not dropped");
}
