import { commonHeaders } from "../answer.ts";
import { foundValue } from "../../api/found-value.ts";
import { harOf } from "../har-export.ts";
import { type LoggedRequest, loggedRequests } from "../../worlds/request-log.ts";
import { operations } from "../../api/operations.ts";
import {
  type ControlRequest,
  type ControlRoutes,
  refuse,
  refuseOthers,
  refuseUnknown,
  wholeNumber,
  withOutcomes,
} from "./control.ts";
import { streamOf } from "../large-answer.ts";
import { suggestion } from "../../engine/suggestion.ts";

/** The calls of the interface that came in. */
export const requestRoutes: ControlRoutes = {
  "GET /requests": {
    summary: "List the calls of the interface, newest last",
    answer: (request) =>
      request.query["format"] === "har" ? withOutcomes(listRequests)(request) : listRequests(request),
  },
  "GET /requests/:id": { summary: "Show a call with its answer", answer: showRequest },
};

/**
 * `operation` and `status` select, `limit` takes the newest of what they select. `format=har` gives a HAR 1.2
 * document of all calls and webhooks instead, redacted, with the times of the world.
 */
function listRequests({ world, query }: ControlRequest): object {
  refuseOthers(query, ["operation", "status", "limit", "format"]);
  const { operation, status, limit, format } = query;
  if (format === "har") {
    refuseOthers(query, ["format"]);
    const headers = { "content-type": "application/json", ...commonHeaders(world) };
    return new Response(streamOf(harOf(world)), { headers });
  }
  if (format !== undefined && format !== "json")
    refuse("format", `format must be json or har; found ${foundValue(format)}.`);
  const conditions = [
    ...(operation === undefined ? [] : [ofOperation(operation)]),
    ...(status === undefined ? [] : [ofStatus(status)]),
  ];
  const countMax = limit === undefined ? undefined : wholeNumber("limit", limit);
  const found = loggedRequests(world).filter((request) => conditions.every((isMet) => isMet(request)));
  return { data: countMax === undefined ? found : found.slice(Math.max(0, found.length - countMax)) };
}

function showRequest({ world, params }: ControlRequest): object {
  const id = params["id"] ?? "";
  const found = loggedRequests(world).findLast((request) => request.id === id);
  return found ?? refuseUnknown(`There is no request "${id}". GET /sandbox/requests lists the last ones.`);
}

type Condition = (request: LoggedRequest) => boolean;

function ofOperation(operation: string): Condition {
  if (!Object.hasOwn(operations, operation)) {
    const words = suggestion(operation, Object.keys(operations));
    refuse("operation", `There is no operation ${foundValue(operation)}. ${words}`);
  }
  return ({ operationId }) => operationId === operation;
}

/** `404` for one status, `4xx` for all that begin with the digit. */
function ofStatus(text: string): Condition {
  if (!/^[1-5](\d\d|xx)$/i.test(text)) {
    refuse(
      "status",
      `status must be a status such as 404, or a class such as 4xx; found ${foundValue(text)}.`,
    );
  }
  const pattern = new RegExp(`^${text.replace(/xx$/i, "..")}$`);
  return ({ status }) => status !== null && pattern.test(String(status));
}
