import { type Endpoint, refuse, refuseUnknown } from "../../control/endpoint.ts";
import { isRecord } from "../../engine/json.ts";

/** A report of `sandbank explore`, as far as it is read here. */
interface Explored {
  readonly scenario: string;
  readonly verdict: string;
  readonly events: readonly unknown[];
  readonly divergences: readonly unknown[];
}

interface Kept {
  readonly id: string;
  readonly results: readonly Explored[];
}

/** Reports that a server keeps; the oldest goes first. A body of at most one megabyte bounds each of them. */
const KEPT_MAX = 20;

/** The newest reports of `sandbank explore` that were sent here, in the memory of this server, for its dashboard. */
export function explorationEndpoints() {
  const kept: Kept[] = [];
  let count = 0;
  return {
    listExplorations: {
      method: "GET",
      path: "/sandbox/explorations",
      tag: "Tools",
      summary: "List the reports of explorations",
      description: "The newest twenty that were sent to this server, for its dashboard.",
      access: "admin",
      response: "ExplorationSummaryList",
      answer: () => ({
        data: kept.map(({ id, results }) => ({
          id,
          results: results.map(({ scenario, verdict, divergences }) => ({
            scenario,
            verdict,
            divergences: divergences.length,
          })),
        })),
      }),
    } satisfies Endpoint,
    addExploration: {
      method: "POST",
      path: "/sandbox/explorations",
      tag: "Tools",
      summary: "Keep the report of an exploration for the dashboard",
      description: "Takes a report of `sandbank explore --reporter json`.",
      access: "admin",
      request: "ExplorationReportRequest",
      response: "ExplorationId",
      successStatus: 201,
      answer: ({ body }) => {
        const one = { id: String(++count), results: readResults(body) };
        kept.push(one);
        if (kept.length > KEPT_MAX) kept.shift();
        return { id: one.id };
      },
    } satisfies Endpoint<"ExplorationReportRequest">,
    showExploration: {
      method: "GET",
      path: "/sandbox/explorations/{id}",
      tag: "Tools",
      summary: "Show the report of an exploration",
      access: "admin",
      parameters: { id: ["The report.", "1"] },
      response: "Exploration",
      errors: ["NOT_FOUND"],
      answer: ({ params: { id = "" } }) =>
        kept.find((one) => one.id === id) ??
        refuseUnknown(`There is no report "${id.slice(0, 100)}". The newest ${KEPT_MAX} are kept.`),
    } satisfies Endpoint,
  };
}

/** One result, or several as `{results}`: what `--reporter json` writes. */
function readResults(body: Readonly<Record<string, unknown>>): readonly Explored[] {
  const results: readonly unknown[] = Array.isArray(body["results"]) ? body["results"] : [body];
  if (results.length > 0 && results.every(isExplored)) return results;
  return refuse("results", "This is no report. Send what sandbank explore --reporter json writes.");
}

function isExplored(value: unknown): value is Explored {
  return (
    isRecord(value) &&
    typeof value["scenario"] === "string" &&
    typeof value["verdict"] === "string" &&
    Array.isArray(value["events"]) &&
    Array.isArray(value["divergences"])
  );
}
