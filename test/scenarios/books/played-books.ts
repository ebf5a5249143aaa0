import { expect } from "vitest";
import { type Bug, openBookkeeper } from "../../partners/bookkeeper.ts";
import { freePort } from "../../free-port.ts";
import { localWorlds } from "../../../src/scenarios/world.ts";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { parseScenario } from "../../../src/scenarios/parse.ts";
import { runScenario } from "../../../src/scenarios/run.ts";
import { scenarioContext } from "../../../src/scenarios/context.ts";
import type { ScenarioResult } from "../../../src/scenarios/result.ts";

export const BOOKS = {
  totals: { received: "$.received", refunded: "$.refunded", paidOut: "$.paidOut" },
  rows: [
    {
      of: "payouts",
      at: "$.payouts[*]",
      key: "code",
      status: { field: "state", PAID: "paid", ERROR: "error", CANCELED: "canceled" },
    },
  ],
};
/** Opens a bookkeeper on a port, and plays scenarios whose webhooks it gets. */
export async function openPlayedBooks() {
  const port = await freePort();
  const partner = await openBookkeeper(port);
  async function play(text: string, file: string, bug?: Bug): Promise<ScenarioResult[]> {
    const { scenarios, mistakes } = parseScenario(text, file, scenarioContext());
    expect(mistakes).toEqual([]);
    const results: ScenarioResult[] = [];
    for (const scenario of scenarios) {
      partner.begin(bug);
      const openWorld = localWorlds(openSandbox, {
        port,
        webhookUrl: `${partner.url}/webhooks`,
        isDigested: false,
      });
      results.push(await runScenario(scenario, { openWorld, lint: "warn" }));
    }
    return results;
  }
  return { url: partner.url, play, [Symbol.asyncDispose]: () => partner[Symbol.asyncDispose]() };
}

export type PlayedBooks = Awaited<ReturnType<typeof openPlayedBooks>>;

/** The lints of a run that come from what its webhooks changed. */
export const tracesIn = ({ lints = [] }: ScenarioResult): string[] =>
  lints.flatMap(({ lint, message }) => (/trace/.test(lint) ? [`${lint}: ${message}`] : []));
