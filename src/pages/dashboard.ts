import type { ServerEnv } from "../server/environment.ts";
import type { Hono } from "hono";
import type { Worlds } from "../worlds/worlds.ts";
import { pageAnswer, pageFiles } from "./page-files.ts";
import { readFileSync } from "node:fs";

const files = pageFiles(new URL("./dashboard/page/", import.meta.url));

/** The client of the sandbox's own API, which the page imports from where it is among the sources. */
function clientModule(): string {
  return readFileSync(new URL("../control/client.js", import.meta.url), "utf8");
}

/** The module that the page imports as `preact.js`: the file of the package htm that has Preact and its hooks in it. */
function preactModule(): string {
  return readFileSync(new URL(import.meta.resolve("htm/preact/standalone")), "utf8");
}

/**
 * Mounts the dashboard: the page at `/`, its files under `/dashboard`. It has no data of its own: everything that it
 * shows and does goes through `/sandbox`.
 */
export function mountDashboard(app: Hono<ServerEnv>, worlds: Worlds): void {
  app.get("/", (c, next) => files.answer("index.html", worlds.now) ?? next());
  const script = (text: string): Response =>
    pageAnswer(text, { type: "text/javascript; charset=utf-8", now: worlds.now });
  app.get("/dashboard/preact.js", () => script(preactModule()));
  app.get("/control/client.js", () => script(clientModule()));
  app.get("/dashboard/:file", (c, next) => files.answer(c.req.param("file"), worlds.now) ?? next());
}
