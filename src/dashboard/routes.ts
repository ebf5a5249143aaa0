import type { Hono } from "hono";
import type { Worlds } from "../worlds/worlds.ts";
import { httpDate } from "../web/answer.ts";
import { readPage } from "./page-files.ts";

/**
 * Nothing but the sandbox's own files and its own API; no text becomes markup or script, and no other page may
 * frame this one, which can do everything to a world.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/**
 * Mounts the dashboard: the page at `/`, its files under `/dashboard`. It keeps nothing: all that it shows and
 * does goes through `/sandbox`.
 */
export function mountDashboard(app: Hono, worlds: Worlds): void {
  app.get("/", (c, next) => fileAnswer(worlds, "index.html") ?? next());
  app.get("/dashboard/:file", (c, next) => fileAnswer(worlds, c.req.param("file")) ?? next());
}

function fileAnswer(worlds: Worlds, name: string): Response | undefined {
  const file = readPage(name);
  if (file === undefined) return undefined;
  return new Response(file.text, {
    headers: {
      "content-type": file.type,
      "content-security-policy": POLICY,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cache-control": "no-store",
      date: httpDate(worlds.default.now),
    },
  });
}
