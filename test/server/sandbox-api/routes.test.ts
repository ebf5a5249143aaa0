import { controlRoutes } from "../../../src/server/sandbox-api/routes.ts";
import { expect, test } from "vitest";
import { readFileSync } from "node:fs";

const unused = (): Promise<never> => Promise.reject(new Error("not part of this test"));
const servers = { id: "test", list: unused, unavailable: undefined, unready: undefined };
const routes = controlRoutes({ servers, recordingOf: unused, openScenarios: unused });

test("docs/sandbox-api.md describes every endpoint with its method", () => {
  const page = readFileSync(new URL("../../../docs/sandbox-api.md", import.meta.url), "utf8");
  const described = new Set(
    Array.from(
      page.matchAll(
        /`((?:GET|POST|PUT|PATCH|DELETE)(?:`, `(?:GET|POST|PUT|PATCH|DELETE))*) (\/sandbox\/[^`?]+)`/g,
      ),
    ).flatMap(([, methods = "", path = ""]) => methods.split("`, `").map((method) => `${method} ${path}`)),
  );
  const documented = Object.keys(routes).map((route) =>
    route.replace(" ", " /sandbox").replaceAll(/:(\w+)(?:\{[^}]*\})?/g, "{$1}"),
  );
  expect(documented.filter((route) => !described.has(route))).toEqual([]);
});
