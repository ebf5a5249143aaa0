import { Hono } from "hono";
import { readFileSync } from "node:fs";
import { serve } from "@hono/node-server";

/** A bare server that answers with the same bytes. It has routing and JSON, but no state and no validation. */
const [, , file = "", port = "0"] = process.argv;
const answers = JSON.parse(readFileSync(file, "utf8")) as Record<string, object>;
const app = new Hono();
app.get("/order/v1/banking/subscriptions/:id", (c) => c.json(answers["subscription"] ?? {}));
app.get("/order/v1/banking/accounts", (c) => c.json(answers["accounts"] ?? {}));
app.post("/order/v1/banking/subscriptions", async (c) => {
  await c.req.json();
  return c.json(answers["created"] ?? {}, 201);
});
serve({ fetch: app.fetch, port: Number(port), hostname: "127.0.0.1" });
