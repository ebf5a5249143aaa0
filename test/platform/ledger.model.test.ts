import { test } from "vitest";
import fc from "fast-check";
import { ACME_ACCOUNT, openPartner } from "../partner.ts";
import { GLOBEX_ACCOUNT, moneyCommands } from "./ledger/commands.ts";
import { MoneyModel } from "./ledger/model.ts";

/**
 * The harness checks that the books balance after every single command of the engine; here the balances that
 * the interface tells are compared with a model that knows none of the sandbox's code.
 */
test("whatever happens, money is where a small model says it is", { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(moneyCommands, { maxCommands: 40, size: "max" }), async (commands) => {
      await using partner = await openPartner();
      const model = new MoneyModel([
        [ACME_ACCOUNT, 10_000_000],
        [GLOBEX_ACCOUNT, 500_000],
      ]);
      await fc.asyncModelRun(() => ({ model, real: partner }), commands);
    }),
    { numRuns: 60 },
  );
});
