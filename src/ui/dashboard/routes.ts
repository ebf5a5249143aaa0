import type { Hono } from "hono";
import type { Worlds } from "../../worlds/worlds.ts";
import { pageFiles } from "../../server/page-files.ts";

const files = pageFiles(new URL("../dashboard/page/", import.meta.url));

/**
 * Mounts the dashboard: the page at `/`, its files under `/dashboard`. It keeps nothing: all that it shows and
 * does goes through `/sandbox`.
 */
export function mountDashboard(app: Hono, worlds: Worlds): void {
  app.get("/", (c, next) => files.answer("index.html", worlds.default.now) ?? next());
  app.get("/dashboard/:file", (c, next) => files.answer(c.req.param("file"), worlds.default.now) ?? next());
}
