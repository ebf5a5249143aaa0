import type { Context, Hono } from "hono";
import type { Worlds } from "../worlds/worlds.ts";
import { inboundOf } from "./inbound-requests.ts";
import { jsonAnswer } from "./answer.ts";
import { readTextBody } from "./request.ts";
import { listed, nearestWords } from "../engine/suggestion.ts";

interface Route {
  readonly method: string;
  /** With its parameters in braces: `/sandbox/worlds/{id}`. */
  readonly path: string;
}

/**
 * Answers requests for which the app has no route: with the methods of the path, or with the nearest path that has
 * the method, so that a misspelt read is never answered with the name of a change.
 */
export function mountUnknownPath(app: Hono, worlds: Worlds): void {
  app.notFound(async (c) => {
    const inbound = inboundOf(c);
    await readTextBody(c.req.raw, inbound);
    const message = `There is nothing at ${c.req.method} ${c.req.path.slice(0, 200)}. ${advice(routesOf(app), c)}`;
    return jsonAnswer(worlds, 404, { error: "NOT_FOUND", message, details: [] }, {}, inbound);
  });
}

function routesOf(app: Hono): Route[] {
  return app.routes
    .filter(({ method }) => method !== "ALL")
    .map(({ method, path }) => ({ method, path: path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, "{$1}") }));
}

function advice(routes: readonly Route[], { req }: Context): string {
  const path = req.path.slice(0, 200);
  const methods = routes.filter((route) => matches(route.path, path, isSame)).map((route) => route.method);
  if (methods.length > 0) return `This path has only ${listed([...new Set(methods)], "and")}.`;
  const method = req.method === "HEAD" ? "GET" : req.method;
  const near = routes
    .filter((route) => route.method === method && matches(route.path, path.replace(/\/+$/, ""), isNear))
    .map((route) => route.path);
  const meant = nearestWords(path, near)[0] ?? near[0];
  if (meant !== undefined) return `Did you mean ${method} ${meant}?`;
  if (!path.startsWith("/sandbox/")) return "See /openapi.json for the paths.";
  const names = new Set(routes.flatMap((route) => /^\/sandbox\/\w+/.exec(route.path)?.[0] ?? []));
  return `There are these paths and some below them: ${[...names].toSorted().join(", ")}.`;
}

/** Whether each word of a path is like the one that was written; any word takes the place of a parameter. */
function matches(path: string, written: string, isLike: (written: string, word: string) => boolean): boolean {
  const words = path.split("/");
  const writtenWords = written.split("/");
  return (
    words.length === writtenWords.length &&
    words.every((word, at) => {
      const one = writtenWords[at] ?? "";
      return word.startsWith("{") ? one !== "" : isLike(one, word);
    })
  );
}

function isSame(written: string, word: string): boolean {
  return written === word;
}

function isNear(written: string, word: string): boolean {
  return written === word || nearestWords(written, [word]).length > 0;
}
