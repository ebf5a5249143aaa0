import { type Endpoint, refuseUnknown, Reply, pathParameter } from "./endpoint.ts";
import type { LoggedRequest } from "../../simulator/api/generated/shapes.ts";
import type { Simulation } from "../../simulator/engine/simulation.ts";
import { foundValue } from "../../simulator/api/found-value.ts";
import { harOf } from "./har-export.ts";
import { type JournaledCall, newestCalls, requestShape } from "../../simulator/worlds/request-log.ts";
import { pageOf } from "./list-page.ts";
import { operations } from "../../simulator/api/operations.ts";
import { suggestion } from "../../simulator/engine/suggestion.ts";

/** The calls of the platform API that came in. */
export const requestEndpoints = {
  listRequests: {
    method: "GET",
    path: "/sandbox/requests",
    tag: "Requests",
    summary: "List the calls of the platform API, newest last",
    description:
      "The last 1,000 calls, also refused calls. With `format=har` the answer is a redacted HAR 1.2 document of all calls and webhooks for [`sandbank calibrate`](calibrate.md). It has the times of the world.",
    query: "RequestsQuery",
    response: "RequestLog",
    alternative: "HarDocument",
    tool: {
      name: "requests",
      fields: ["operation", "status", "limit"],
      listed: ["id", "at", "method", "path", "operationId", "company", "status", "injected"],
    },
    problems: ({ query: { operation, format, ...others } }) => {
      if (format === "har")
        return Object.keys({ ...others, ...(operation !== undefined && { operation }) }).map((field) => ({
          field,
          issue: "NOT_ALLOWED",
          description: `\`format=har\` answers with all calls. Leave \`${field}\` or \`format\` out.`,
        }));
      if (operation === undefined || Object.hasOwn(operations, operation)) return [];
      const words = suggestion(operation, Object.keys(operations), { all: "/openapi.json" });
      const description = `There is no operation ${foundValue(operation)}. ${words}`;
      return [{ field: "operation", issue: "INVALID", description }];
    },
    answer: async ({ world, query: { operation, status, limit, format, ...page } }) => {
      if (format === "har") {
        await world.deliveries.answeredForRead();
        return new Reply(harOf(world), { headers: { "content-type": "application/json" } });
      }
      const pattern = status && new RegExp(`^${status.replace(/xx$/i, "..")}$`);
      const isWanted = ({ operation: called, input }: JournaledCall): boolean =>
        (operation === undefined || called === operation) &&
        (!pattern || (input.status !== undefined && pattern.test(String(input.status))));
      const total = newestCalls(world).reduce((count) => count + 1, 0);
      const found = newestCalls(world).filter(isWanted);
      return { ...(await pageOf(found, { ...page, last: limit }, { shapeOf: requestShape })), total };
    },
  } satisfies Endpoint<never, "RequestsQuery">,
  showRequest: {
    method: "GET",
    path: "/sandbox/requests/{id}",
    tag: "Requests",
    summary: "Show a call with its answer",
    parameters: { id: pathParameter("The x-request-id of the call.", "call-1") },
    response: "LoggedRequest",
    errors: ["NOT_FOUND"],
    tool: { name: "requests", fields: ["id"] },
    answer: ({ world, params: { id } }) =>
      requestWithId(world, id ?? "") ??
      refuseUnknown(`There is no request "${id}". GET /sandbox/requests lists the last ones.`),
  } satisfies Endpoint,
};

function requestWithId(world: Pick<Simulation, "journal">, id: string): LoggedRequest | undefined {
  const found = newestCalls(world).find((call) => call.id === id);
  return found && requestShape(found);
}
