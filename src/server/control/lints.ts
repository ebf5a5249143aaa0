import { type LintedCall, chargedAgain, lintedCall, lintsIn } from "../../simulator/api/lints.ts";
import { type JournaledCall, lastCalls } from "../../simulator/worlds/request-log.ts";
import type { Endpoint } from "./endpoint.ts";
import type { OperationId } from "../../simulator/api/vocabulary.ts";
import { OWN_AGENT } from "./client.js";

export const lintEndpoints = {
  listLints: {
    method: "GET",
    path: "/sandbox/lints",
    tag: "Requests",
    summary: "List the suspicious calls of the client",
    description:
      "Reads the last 1,000 calls and leaves out the calls of sandbank's own commands. [books.md](books.md) describes each lint.",
    response: "LintList",
    answer: ({ world }) => {
      const shown = world.shown();
      const calls = lastCalls(shown).flatMap(callOf);
      return { data: [...lintsIn(calls), ...chargedAgain(calls, shown.records)] };
    },
  } satisfies Endpoint,
};

function callOf({ at, operation, input, isCarriedOut }: JournaledCall): LintedCall[] {
  const { requestId: id, company, status = null, path, headers, text = "" } = input;
  if (operation === null || headers["user-agent"] === OWN_AGENT) return [];
  const sent = { path, key: headers["idempotency-key"], text, authorization: headers["authorization"] };
  return [
    lintedCall({ id, at, operation: operation as OperationId, company, status, isCarriedOut, ...sent }),
  ];
}
