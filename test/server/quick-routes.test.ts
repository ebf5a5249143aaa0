import { expect, test } from "vitest";
import { Hono } from "hono";
import { QuickRoutes } from "../../src/server/quick-routes.ts";

function routesOf(...paths: readonly string[]): QuickRoutes {
  const behind = new Hono();
  behind.get("/behind", () => new Response("behind"));
  behind.notFound(() => new Response("nothing", { status: 404 }));
  const routes = new QuickRoutes(behind);
  for (const path of paths) routes.on("GET", path, (c) => new Response(`${path} ${c.req.param("id") ?? ""}`));
  return routes;
}

async function answers(routes: QuickRoutes, ...paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map(async (path) => (await routes.app.request(path)).text()));
}

test("paths that compete for a place are all answered, each by its own route", async () => {
  const routes = routesOf("/claims/confirm", "/claims/:id/confirm", "/claims/:id/cancel", "/claims");
  expect(
    await answers(routes, "/claims", "/claims/confirm", "/claims/7/confirm", "/claims/7/cancel"),
  ).toEqual(["/claims ", "/claims/confirm ", "/claims/:id/confirm 7", "/claims/:id/cancel 7"]);
});

test("of two routes that take the same path the one that was there first answers", async () => {
  expect(await answers(routesOf("/a/:id", "/a/fixed"), "/a/fixed")).toEqual(["/a/:id fixed"]);
  expect(await answers(routesOf("/a/fixed", "/a/:id"), "/a/fixed", "/a/other")).toEqual([
    "/a/fixed ",
    "/a/:id other",
  ]);
});

test("what no quick route is for is asked of the app behind, heads too", async () => {
  const routes = routesOf("/a/:id");
  expect(await answers(routes, "/behind", "/nowhere")).toEqual(["behind", "nothing"]);
  const head = await routes.app.request("/behind", { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
});
