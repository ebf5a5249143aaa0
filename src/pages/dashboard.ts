import type { ServerEnv } from "../server/environment.ts";
import type { Hono } from "hono";
import type { Worlds } from "../simulator/worlds/worlds.ts";
import { pageAnswer, pageFiles } from "./page-files.ts";
import { readFileSync } from "node:fs";

/**
 * The folders that the pages load files of, by their paths: a module imports another one from where it is among the
 * sources.
 */
const FOLDERS = {
  "/dashboard": pageFiles(new URL("./dashboard/page/", import.meta.url)),
  "/html": pageFiles(new URL("./html/", import.meta.url)),
  "/server/control": pageFiles(new URL("../server/control/", import.meta.url)),
};

/**
 * Returns the module that the pages import as `preact.js`: the file of the package htm that has Preact and its hooks in
 * it.
 */
function preactModule(): string {
  return readFileSync(new URL(import.meta.resolve("htm/preact/standalone")), "utf8");
}

/**
 * Mounts the dashboard: the page at `/`, its files under `/dashboard`, and the files that it shares with other pages.
 * It has no separate data. All its reads and actions use `/sandbox`.
 */
export function mountDashboard(app: Hono<ServerEnv>, worlds: Worlds): void {
  app.get("/", (c, next) => FOLDERS["/dashboard"]("index.html", worlds.now) ?? next());
  app.get("/html/preact.js", () =>
    pageAnswer(preactModule(), { type: "text/javascript; charset=utf-8", now: worlds.now }),
  );
  for (const [path, files] of Object.entries(FOLDERS))
    app.get(`${path}/:file`, (c, next) => files(c.req.param("file"), worlds.now) ?? next());
}
