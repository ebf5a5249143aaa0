import { deepStrictEqual, ok, rejects } from "node:assert/strict";
import fc, { type AsyncCommand } from "fast-check";
import type { MoneyModel } from "./model.ts";
import { ACME_ACCOUNT, type Partner } from "../../../partner.ts";

export type MoneyCommand = AsyncCommand<MoneyModel, Partner>;

export const GLOBEX_ACCOUNT = "22222222-2222-4222-8222-222222222222";

/** Minor units as the platform API writes them. */
export function decimal(minor: number): string {
  const digits = String(minor).padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

export function tokenOf(account: string): string {
  return account === GLOBEX_ACCOUNT ? "globex-token" : "acme-token";
}

/** A command with the name that a counterexample shows. After it every balance equals that of the model. */
export function command(
  name: string,
  run: (model: MoneyModel, partner: Partner) => Promise<void>,
  check: (model: Readonly<MoneyModel>) => boolean = () => true,
): MoneyCommand {
  return {
    check,
    run: async (model, partner) => {
      await run(model, partner);
      await agreeOnBalances(model, partner);
    },
    toString: () => name,
  };
}

/** Compares each balance of the platform API, and the sum of the ledger, with the model. */
async function agreeOnBalances(model: MoneyModel, partner: Partner): Promise<void> {
  for (const [account, minor] of model.available) {
    const path = `/order/v1/banking/accounts/${account}/balance`;
    const { body } = await partner.ask("GET", path, { token: tokenOf(account) });
    deepStrictEqual(body["balance"], { currency: "BRL", value: decimal(minor) }, account);
  }
  const ledger = await partner.sandbox.ledger();
  ok(ledger["balanced"]);
  for (const { account, value } of ledger.accounts) {
    if (!["outside", "fees"].includes(account)) ok(!value.startsWith("-"), `${account} owes ${value}`);
  }
}

/** Does an act, or expects that it is refused. */
export async function tryAct(
  partner: Partner,
  { act, isPossible, ...input }: { act: string; id: string; isPossible: boolean; [field: string]: unknown },
): Promise<void> {
  const done = partner.act(act, input);
  if (isPossible) await done;
  else await rejects(done, /^Error: (?!The sandbox failed)/);
}

/** Amounts of all sizes; some at and around the threshold of a batch. */
export const minors = fc.oneof(
  fc.integer({ min: 1, max: 300 }),
  fc.integer({ min: 1, max: 4_000_000 }),
  fc.constantFrom(1, 1_500_000, 1_500_001, 3_000_000),
);

export const ownAccounts = fc.constantFrom(ACME_ACCOUNT, GLOBEX_ACCOUNT);

/** A number by which a command selects one of the objects that exist when it runs. */
export const picks = fc.nat({ max: 1000 });

export function picked<T>(from: readonly T[], pick: number): T {
  return from[pick % from.length] as T;
}
