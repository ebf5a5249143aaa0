import { expect, test } from "vitest";
import { openPartner } from "../../partner.ts";
import { readdirSync, readFileSync } from "node:fs";

const FOLDER = "src/pages/dashboard/page";
const files = readdirSync(FOLDER).filter((name) => /\.(html|css|js)$/.test(name));

test("the dashboard is at the root, with a policy that allows nothing from other origins", async () => {
  await using partner = await openPartner();
  const response = await partner.sandbox.fetch("/");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const policy = response.headers.get("content-security-policy") ?? "";
  expect(policy.split("; ")).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "img-src 'self' data:",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]),
  );
  expect(policy).not.toContain("unsafe");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(response.headers.get("referrer-policy")).toBe("no-referrer");
  expect(response.headers.get("date")).toBe("Fri, 20 Nov 2026 12:00:00 GMT");
});

/** Served from a package: `preact.js` of the folder only names it for the type checker and for tests. */
const PREACT = "preact.js";
const ownFiles = files.filter((name) => name !== "index.html" && name !== PREACT);

test("preact and htm are served from their package, as one module without imports", async () => {
  await using partner = await openPartner();
  const response = await partner.sandbox.fetch(`/dashboard/${PREACT}`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  const text = await response.text();
  expect(text).toMatch(/export\{.*\bas html\b.*\bas render\b.*\bas useState\b/);
  expect(text).not.toMatch(/\bimport\b|\bfrom["']|\beval\(|new Function/);
});

test("every name that the page imports from preact is in that module", async () => {
  // Not a literal: the package's types would bring the types of browsers to everything else.
  const module: string = "htm/preact/standalone";
  const exported = Object.keys((await import(module)) as object);
  const imported = files.flatMap((name) =>
    Array.from(
      readFileSync(`${FOLDER}/${name}`, "utf8").matchAll(/import \{ ([^}]+) \} from "\.\/preact\.js"/g),
      ([, names = ""]) => names.split(", "),
    ).flat(),
  );
  expect(imported).toContain("html");
  expect(imported.filter((name) => !exported.includes(name))).toEqual([]);
});

test.each(ownFiles)("%s is served with its own type", async (name) => {
  await using partner = await openPartner();
  const response = await partner.sandbox.fetch(`/dashboard/${name}`);
  expect(response.status).toBe(200);
  const type = name.endsWith(".css") ? "text/css" : "text/javascript";
  expect(response.headers.get("content-type")).toBe(`${type}; charset=utf-8`);
  expect(await response.text()).toBe(readFileSync(`${FOLDER}/${name}`, "utf8"));
});

test.each([
  "/dashboard/tsconfig.json",
  "/dashboard/none.js",
  "/dashboard/..%2Froutes.ts",
  "/dashboard/%2e%2e%2fpage-files.ts",
  "/dashboard/",
  "/dashboard",
])("%s is not served: only the page's own files are", async (path) => {
  await using partner = await openPartner();
  const response = await partner.sandbox.fetch(path);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: "NOT_FOUND" });
});

test("every file that the page and its modules name is served", async () => {
  await using partner = await openPartner();
  const named = files.flatMap((name) => {
    const text = readFileSync(`${FOLDER}/${name}`, "utf8");
    const [modules, links] = [/from "\.\/([^"]+\.js)"/g, /(?:src|href)="\/dashboard\/([^"]+)"/g];
    return [...text.matchAll(name.endsWith(".html") ? links : modules)].map(([, file = ""]) => file);
  });
  expect(named.length).toBeGreaterThan(files.length);
  const missing = [];
  for (const file of new Set(named)) {
    const { status } = await partner.sandbox.fetch(`/dashboard/${file}`);
    if (status !== 200) missing.push(file);
  }
  expect(missing).toEqual([]);
});

test("the page itself has no inline script or style", () => {
  const page = readFileSync(`${FOLDER}/index.html`, "utf8");
  expect(page).not.toMatch(/<style|style=|<script(?![^>]*src=)| on\w+=/);
});

test.each(files.filter((name) => name.endsWith(".js")))(
  "%s is type-checked, is not too long, and never puts text into the page as markup",
  (name) => {
    const text = readFileSync(`${FOLDER}/${name}`, "utf8");
    expect(text).not.toMatch(
      /innerHTML|outerHTML|dangerouslySet|insertAdjacentHTML|document\.write|DOMParser|eval\(/,
    );
    expect(text.slice(0, 13)).toBe("// @ts-check\n");
    expect(text.split("\n").length).toBeLessThan(401);
  },
);

test.each(files)("%s asks for nothing from other origins", (name) => {
  const text = readFileSync(`${FOLDER}/${name}`, "utf8");
  const outside = Array.from(text.matchAll(/https?:\/\/[^"'\s)]+/g), ([url]) => url);
  expect(outside.filter((url) => !url.startsWith("http://127.0.0.1"))).toEqual([]);
});
