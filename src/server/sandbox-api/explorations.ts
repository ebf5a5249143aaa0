import { type ControlRoutes, created, refuse, refuseUnknown } from "./control.ts";
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
export function explorationRoutes(): ControlRoutes {
  const kept: Kept[] = [];
  let count = 0;
  return {
    "GET /explorations": {
      summary: "List the reports of explorations",
      answerServer: () => ({
        data: kept.map(({ id, results }) => ({
          id,
          results: results.map(({ scenario, verdict, divergences }) => ({
            scenario,
            verdict,
            divergences: divergences.length,
          })),
        })),
      }),
    },
    "POST /explorations": {
      summary: "Keep the report of an exploration for the dashboard",
      answerServer: (request) => {
        const results = readResults(request.body);
        const one = { id: String(++count), results };
        kept.push(one);
        if (kept.length > KEPT_MAX) kept.shift();
        return created(request, { id: one.id });
      },
    },
    "GET /explorations/:id": {
      summary: "Show the report of an exploration",
      answerServer: ({ params }) =>
        kept.find(({ id }) => id === params["id"]) ??
        refuseUnknown(
          `There is no report "${params["id"]?.slice(0, 100)}". The newest ${KEPT_MAX} are kept.`,
        ),
    },
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
