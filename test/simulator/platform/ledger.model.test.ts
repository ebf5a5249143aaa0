import { expect, test } from "vitest";
import fc from "fast-check";
import { ACME_ACCOUNT, openPartner } from "../../partner.ts";
import { GLOBEX_ACCOUNT } from "./ledger/command.ts";
import { MoneyModel } from "./ledger/model.ts";
import { orderCommands } from "./ledger/order-commands.ts";
import { payoutCommands } from "./ledger/payout-commands.ts";
import { refundCommands } from "./ledger/refund-commands.ts";

/** Refunds are drawn twice as often: most of them find no paid order to refund. */
const commandLists = fc.commands(
  [...orderCommands, ...refundCommands, ...refundCommands, ...payoutCommands],
  { maxCommands: 50, size: "max" },
);

/**
 * The harness checks that the books balance after every command of the engine; here the balances of the platform API are
 * compared with a model that shares no code with the sandbox.
 */
test("after any commands, the balances are those of a small model", { timeout: 120_000 }, async () => {
  const property = fc.asyncProperty(commandLists, async (commands) => {
    await using partner = await openPartner();
    const model = new MoneyModel([
      [ACME_ACCOUNT, 10_000_000],
      [GLOBEX_ACCOUNT, 500_000],
    ]);
    await fc.asyncModelRun(() => ({ model, real: partner }), commands);
  });
  await expect(fc.assert(property, { numRuns: 60 })).resolves.toBeUndefined();
});
