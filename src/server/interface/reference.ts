import type { Hono } from "hono";
import type { Worlds } from "../../worlds/worlds.ts";
import { commonHeaders } from "../answer.ts";
import { openApiDocument } from "../../api/openapi.ts";

/** Mounts the description of the interface. It is assembled when it is first asked for. */
export function mountReference(app: Hono, worlds: Worlds): void {
  let document: string | undefined;
  app.get("/openapi.json", () => {
    document ??= JSON.stringify(openApiDocument());
    const headers = { "content-type": "application/json", ...commonHeaders(worlds.default) };
    return new Response(document, { headers });
  });
}
