import type { Context, Hono } from "hono";
import type { Worlds } from "../../worlds/worlds.ts";
import { closest } from "fastest-levenshtein";
import { noSuchPath } from "../error-answer.ts";

interface Route {
  readonly method: string;
  /** As people write it: `/sandbox/worlds/{id}`. */
  readonly path: string;
}

/**
 * Answers what is left under `/sandbox` once all of it is mounted. The sandbox's own API is in no document that is
 * served, so the answer names what there is: the methods of the path, or the nearest path.
 */
export function mountNoSuchControl(app: Hono, worlds: Worlds): void {
  const routes = controlRoutes(app);
  app.all("/sandbox/*", (c) => noSuchPath(worlds, c, instead(routes, c)));
}

function controlRoutes(app: Hono): Route[] {
  return app.routes
    .filter(({ method, path }) => method !== "ALL" && path.startsWith("/sandbox/"))
    .map(({ method, path }) => ({ method, path: path.replace(/:(\w+)(?:\{[^}]*\})?/g, "{$1}") }));
}

function instead(routes: readonly Route[], c: Context): string {
  const asked = c.req.path.slice(0, 200);
  const methods = routes.filter(({ path }) => fits(path, asked)).map(({ method }) => method);
  if (methods.length > 0) return `Its methods: ${methods.join(", ")}.`;
  const meant = closest(asked, [...new Set(routes.map(({ path }) => path))]);
  const found = routes.filter(({ path }) => path === meant).map(({ method }) => method);
  return `Did you mean ${found.join(" or ")} ${meant}?`;
}

function fits(path: string, asked: string): boolean {
  const [words, given] = [path.split("/"), asked.split("/")];
  return (
    words.length === given.length &&
    words.every((word, at) => word === given[at] || (word.startsWith("{") && given[at] !== ""))
  );
}
