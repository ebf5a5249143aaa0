import type { NamedRequest } from "../environment.ts";
import { checkOf } from "../../simulator/api/schema-compiler.ts";
import { commonHeaders } from "../answer.ts";
import { DEFAULT_WORLD, type Worlds } from "../../simulator/worlds/worlds.ts";
import { describedServer } from "../control/worlds.ts";
import { LongWork } from "../../base/long-work.ts";
import { platformDocument } from "../../simulator/api/openapi.ts";
import { type Operation, operations } from "../../simulator/api/operations.ts";
import { successStatusOf } from "./success-status.ts";

/** Answers with the OpenAPI document of the platform API, as the world of the request has it. */
export function describeInterface(worlds: Worlds): (named: NamedRequest) => Promise<Response> {
  let last = { about: "", text: "" };
  return async ({ caller, inbound }) => {
    const world = caller.world ?? worlds.here(DEFAULT_WORLD);
    const server = describedServer(world, inbound.head.origin);
    const statusOf = (one: Operation): 200 | 201 =>
      world === undefined ? one.successStatus : successStatusOf(world.present.simulation.reading, one);
    const about = JSON.stringify([server, Object.values<Operation>(operations).map(statusOf)]);
    if (last.text === "") await compileChecks();
    if (last.about !== about) last = { about, text: JSON.stringify(platformDocument(server, statusOf)) };
    const headers = { "content-type": "application/json", ...commonHeaders(worlds) };
    return new Response(last.text, { headers });
  };
}

/** Compiles the checks of all bodies, in turns, because the OpenAPI document shows problems of these checks. */
export async function compileChecks(): Promise<void> {
  const work = new LongWork();
  for (const { request } of Object.values<Operation>(operations)) {
    if (request !== undefined) checkOf(request);
    if (work.isDue) await work.nextTurn();
  }
}
