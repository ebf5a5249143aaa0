import { expect, test } from "vitest";
import { openPartner } from "../../partner.ts";
import { readdirSync, readFileSync } from "node:fs";

/** What browsers load, by the address at which they find it, with the file that has it. */
const files = new Map(
  ["pages/dashboard/page", "pages/html", "server/control"].flatMap((folder) =>
    readdirSync(`src/${folder}`)
      .filter((name) => /\.(html|css|js)$/.test(name))
      .map((name) => [
        `/${folder.replace("pages/dashboard/page", "dashboard").replace("pages/html", "html")}/${name}`,
        `src/${folder}/${name}`,
      ]),
  ),
);
const modules = [...files.values()].filter((file) => file.endsWith(".js"));

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

/** Served from a package: the file of this name among the sources is for Node. */
const PREACT = "/html/preact.js";
const ownFiles = [...files].filter(([path]) => path !== "/dashboard/index.html" && path !== PREACT);

test("preact and htm are served from their package, as one module without imports", async () => {
  await using partner = await openPartner();
  const response = await partner.sandbox.fetch(PREACT);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  const text = await response.text();
  expect(text).toMatch(/export\{.*\bas html\b.*\bas render\b.*\bas useState\b/);
  expect(text).not.toMatch(/\bimport\b|\bfrom["']|\beval\(|new Function/);
});

test("every name that the page imports from preact is in that module", async () => {
  const exported = Object.keys(await import("htm/preact/standalone"));
  const imported = modules.flatMap((file) =>
    Array.from(
      readFileSync(file, "utf8").matchAll(/import \{ ([^}]+) \} from "[./]*\/preact\.js"/g),
      ([, names = ""]) => names.split(", "),
    ).flat(),
  );
  expect(imported).toContain("html");
  expect(imported.filter((name) => !exported.includes(name))).toEqual([]);
});

test.each(ownFiles)("%s is served with its own type", async (path, file) => {
  await using partner = await openPartner();
  const response = await partner.sandbox.fetch(path);
  expect(response.status).toBe(200);
  const type = path.endsWith(".css") ? "text/css" : "text/javascript";
  expect(response.headers.get("content-type")).toBe(`${type}; charset=utf-8`);
  expect(await response.text()).toBe(readFileSync(file, "utf8"));
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
  const named = ownFiles.flatMap(([path, file]) => {
    const text = readFileSync(file, "utf8");
    return [...text.matchAll(/from "(\.[^"]+\.js)"/g)].map(
      ([, name = ""]) => new URL(name, `http://sandbank${path}`).pathname,
    );
  });
  const page = readFileSync("src/pages/dashboard/page/index.html", "utf8");
  named.push(...[...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, name = ""]) => name));
  expect(named.length).toBeGreaterThan(files.size);
  const missing = [];
  for (const file of new Set(named)) {
    const { status } = await partner.sandbox.fetch(file);
    if (status !== 200) missing.push(file);
  }
  expect(missing).toEqual([]);
});

test("the page itself has no inline script or style", () => {
  const page = readFileSync("src/pages/dashboard/page/index.html", "utf8");
  expect(page).not.toMatch(/<style|style=|<script(?![^>]*src=)| on\w+=/);
});

test.each(modules)(
  "%s is type-checked, is not too long, and never puts text into the page as markup",
  (file) => {
    const text = readFileSync(file, "utf8");
    expect(text).not.toMatch(
      /innerHTML|outerHTML|dangerouslySet|insertAdjacentHTML|document\.write|DOMParser|eval\(/,
    );
    // The compiler checks every module of the pages, and elsewhere those that say so.
    expect(text).not.toContain("@ts-nocheck");
    expect(text.slice(0, 13) === "// @ts-check\n").toBe(!/^src\/pages\/(?!html\/)/.test(file));
    expect(text.split("\n").length).toBeLessThan(401);
  },
);

test("the compiler checks every module of the pages", () => {
  const configuration = readFileSync("src/pages/dashboard/page/tsconfig.json", "utf8");
  expect(configuration).toContain('"checkJs": true');
  expect(configuration).toContain('"include": ["*.js", "../../reference/page/*.js"]');
});

test.each([...files.values()])("%s asks for nothing from other origins", (file) => {
  const text = readFileSync(file, "utf8");
  const outside = Array.from(text.matchAll(/https?:\/\/[^"'\s)]+/g), ([url]) => url);
  expect(outside.filter((url) => !url.startsWith("http://127.0.0.1"))).toEqual([]);
});
