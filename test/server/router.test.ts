import { describedEndpoints } from "../../src/library/app.ts";
import { expect, test } from "vitest";
import { operations } from "../../src/simulator/api/operations.ts";
import { Router } from "../../src/server/router.ts";

const catalogs = { ...operations, ...describedEndpoints() };
const answer = (): never => {
  throw new Error("No request is answered here.");
};
const router = new Router();
router.mount(catalogs, () => answer);

test.each(Object.entries(catalogs))("%s is found at its path", (id, { method, path }) => {
  const written = path.replaceAll(/\{\w+\*?\}/g, "a%20b");
  const { id: found, params } = router.match(method, written) ?? {};
  expect(found).toBe(id);
  expect(Object.values(params ?? {})).toEqual(Array.from(path.matchAll(/\{/g), () => "a b"));
});

test.each([
  ["GET", "/order/v1/banking/accounts/"],
  ["DELETE", "/order/v1/banking/accounts"],
  ["GET", "/order/v1/banking/accounts//balance"],
  ["GET", "/sandbox/worlds/a/b"],
  ["GET", "/sandbox/scenarios/"],
])("%s %s has no operation", (method, path) => {
  expect(router.match(method, path)).toBeUndefined();
});

test("a parameter with a star takes slashes, and HEAD is answered like GET", () => {
  expect(router.match("HEAD", "/sandbox/scenarios/a/b.yaml")).toMatchObject({
    id: "showScenario",
    params: { name: "a/b.yaml" },
  });
});

test("the list of routes names a parameter without its star", () => {
  const paths = router.routes.map(({ path }) => path);
  expect(paths).toContain("/sandbox/scenarios/{name}");
  expect(paths.filter((path) => path.includes("*"))).toEqual([]);
});
