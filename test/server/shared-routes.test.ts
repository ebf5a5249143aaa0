import { expect, test } from "vitest";
import { Hono } from "hono";
import { SharedRoutes } from "../../src/server/shared-routes.ts";

function appOf(name: string, ...paths: readonly string[]): Hono {
  const app = new Hono({ router: new SharedRoutes() });
  for (const path of paths) app.get(path, (c) => c.text(`${name} ${path} ${JSON.stringify(c.req.param())}`));
  return app;
}

async function textOf(app: Hono, path: string): Promise<string> {
  return (await app.request(path)).text();
}

test("apps with the same routes have their own handlers, and a route that is added later is found", async () => {
  const [one, other] = ["one", "other"].map((name) => appOf(name, "/a/:id", "/a/b/c")) as [Hono, Hono];
  expect(await textOf(one, "/a/7")).toBe('one /a/:id {"id":"7"}');
  expect(await textOf(other, "/a/8")).toBe('other /a/:id {"id":"8"}');
  other.get("/late", (c) => c.text("late"));
  expect(await textOf(other, "/late")).toBe("late");
  expect(await textOf(other, "/a/b/c")).toBe("other /a/b/c {}");
  expect((await one.request("/late")).status).toBe(404);
});
