import { hash } from "node:crypto";
import type { Call } from "../../../../src/simulator/platform/call.ts";
import type { ListAccountsQuery } from "../../../../src/simulator/api/generated/shapes.ts";
import fc from "fast-check";
import { type Account, accounts } from "../../../../src/simulator/platform/accounts/account.ts";
import { expect, test } from "vitest";
import { listAccounts } from "../../../../src/simulator/platform/accounts/accounts.ts";
import { Simulation } from "../../../../src/simulator/engine/simulation.ts";

const cause = { by: "control", name: "test" } as const;

function accountOf(number: number, createdAt: number): Account {
  return {
    id: `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
    companyId: "acme",
    status: "ACTIVE",
    fullName: "Holder",
    email: "holder@acme.example",
    phone: "+5511987650000",
    document: { type: "CPF", number: "11144477735" },
    bankAccountData: { branchNumber: "0001", accountNumber: "1" },
    createdAt,
    updatedAt: createdAt,
  };
}

function callWith(query: ListAccountsQuery): Call<unknown, ListAccountsQuery> {
  return {
    companyId: "acme",
    params: {},
    query,
    body: undefined,
    problems: [],
    idempotencyKey: null,
    sha256: (text) => hash("sha256", text),
    origin: () => "http://sandbox.example",
    worldId: "default",
  };
}

test("pages neither repeat nor lose an account while others are added, whatever creation times they share", () => {
  const times = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 20 });
  const sorts = fc.constantFrom("asc" as const, "desc" as const);
  const limits = fc.integer({ min: 1, max: 4 });
  fc.assert(
    fc.property(times, times, sorts, limits, (before, between, sort, limit) => {
      const simulation = new Simulation({ seed: 1, start: 10, timerKinds: [] });
      let number = 0;
      const add = (createdAt: number) =>
        simulation.execute(cause, (tx) => tx.put(accounts, accountOf(number++, createdAt)));
      for (const createdAt of before) add(createdAt);
      const seen: string[] = [];
      const late = [...between];
      for (let cursor: string | undefined, hasNext = true; hasNext && seen.length < 100;) {
        const query = { limit, sort, ...(cursor !== undefined && { cursor }) };
        const page = simulation.execute(cause, (tx) => listAccounts(tx, callWith(query)));
        if (!page.ok) throw page.refusal;
        seen.push(...page.value.data.map(({ id }) => id));
        cursor = page.value.nextCursor ?? undefined;
        hasNext = page.value.hasNext;
        const next = late.shift();
        if (next !== undefined) add(next);
      }
      expect(new Set(seen).size).toBe(seen.length);
      const known = before.map((_, index) => accountOf(index, 0).id);
      expect(seen).toEqual(expect.arrayContaining(known));
    }),
  );
});
