import { namedOf, type ServerEnv } from "./environment.ts";
import type { Hono } from "hono";
import type { Worlds } from "../simulator/worlds/worlds.ts";
import { jsonAnswer } from "./answer.ts";
import { readTextBody } from "./request-body.ts";
import { type Route, routeAdvice } from "../simulator/api/routes.ts";

/** Answers requests without a route in the app, and names the most similar route. */
export function mountUnknownPath(app: Hono<ServerEnv>, worlds: Worlds, routes: () => readonly Route[]): void {
  app.notFound(async (c) => {
    const named = namedOf(c);
    await readTextBody(named);
    const path = c.req.path.slice(0, 200);
    const advice = routeAdvice(routes(), { method: c.req.method, path });
    const message = `There is nothing at ${c.req.method} ${path}. ${advice}`;
    return jsonAnswer(worlds, 404, { error: "NOT_FOUND", message, details: [] }, {}, named.inbound);
  });
}

/** Returns every route of the pages. A route with several handlers is listed once. */
export function routesOf(app: Hono<ServerEnv>): Route[] {
  const routes = app.routes
    .filter(({ method }) => method !== "ALL")
    .map(({ method, path }) => ({ method, path: path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, "{$1}") }));
  return [...new Map(routes.map((route) => [`${route.method} ${route.path}`, route])).values()];
}
