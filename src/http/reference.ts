import type { Hono } from "hono";
import { openApiDocument } from "../interface/openapi.ts";

/** Mounts the description of the interface. It is assembled when it is first asked for. */
export function mountReference(app: Hono): void {
  let document: string | undefined;
  app.get("/openapi.json", () => {
    document ??= JSON.stringify(openApiDocument());
    return new Response(document, { headers: { "content-type": "application/json" } });
  });
}
