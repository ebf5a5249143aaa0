import { Hono } from "hono";
import { readFileSync } from "node:fs";
import { serve } from "@hono/node-server";

/** A bare server that answers with the same bytes: routing and JSON, no state, no validation. */
const answers = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Record<string, object>;
const app = new Hono();
app.get("/subscriptions/:id", (c) => c.json(answers["subscription"] ?? {}));
app.get("/accounts", (c) => c.json(answers["accounts"] ?? {}));
app.post("/subscriptions", async (c) => {
  await c.req.json();
  return c.json(answers["subscription"] ?? {}, 201);
});
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
  process.stdout.write(`echo listening on http://127.0.0.1:${port}\n`);
});
