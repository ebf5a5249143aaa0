import { type Endpoint, refuseUnknown, Reply } from "./endpoint.ts";
import type { LoggedRequest } from "../api/generated/shapes.ts";
import { foundValue } from "../api/found-value.ts";
import { harOf } from "./har-export.ts";
import { loggedRequests } from "../worlds/request-log.ts";
import { pageOf } from "./list-page.ts";
import { operations } from "../api/operations.ts";
import { suggestion } from "../engine/suggestion.ts";

/** The calls of the interface that came in. */
export const requestEndpoints = {
  listRequests: {
    method: "GET",
    path: "/sandbox/requests",
    tag: "Requests",
    summary: "List the calls of the interface, newest last",
    description:
      "The last 1,000, refused ones too. With `format=har` a HAR 1.2 document of all calls and webhooks, redacted, with the times of the world, for [`sandbank calibrate`](calibrate.md).",
    query: "RequestsQuery",
    response: "RequestLog",
    tool: { name: "requests", fields: ["operation", "status", "limit"] },
    problems: ({ query: { operation, format, ...others } }) => {
      if (format === "har")
        return Object.keys({ ...others, ...(operation !== undefined && { operation }) }).map((field) => ({
          field,
          issue: "NOT_ALLOWED",
          description: `A HAR document has all calls: leave ${field} out, or format.`,
        }));
      if (operation === undefined || Object.hasOwn(operations, operation)) return [];
      const words = suggestion(operation, Object.keys(operations));
      const description = `There is no operation ${foundValue(operation)}. ${words}`;
      return [{ field: "operation", issue: "INVALID", description }];
    },
    answer: async ({ world, query: { operation, status, limit, format, ...page } }) => {
      if (format === "har") {
        await world.deliveries.answeredForRead();
        return new Reply(harOf(world), { headers: { "content-type": "application/json" } });
      }
      const pattern = status && new RegExp(`^${status.replace(/xx$/i, "..")}$`);
      const isWanted = (one: LoggedRequest): boolean =>
        (operation === undefined || one.operationId === operation) &&
        (!pattern || (one.status !== null && pattern.test(String(one.status))));
      const found = loggedRequests(world).filter(isWanted);
      return pageOf(found, { ...page, last: limit }, { shapeOf: (one) => one });
    },
  } satisfies Endpoint<never, "RequestsQuery">,
  showRequest: {
    method: "GET",
    path: "/sandbox/requests/{id}",
    tag: "Requests",
    summary: "Show a call with its answer",
    parameters: { id: ["The x-request-id of the call.", "call-1"] },
    response: "LoggedRequest",
    errors: ["NOT_FOUND"],
    tool: { name: "requests", fields: ["id"] },
    answer: ({ world, params: { id } }) =>
      loggedRequests(world).findLast((request) => request.id === id) ??
      refuseUnknown(`There is no request "${id}". GET /sandbox/requests lists the last ones.`),
  } satisfies Endpoint,
};
