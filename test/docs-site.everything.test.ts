import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { outside } from "./outside/consumer.ts";
import { afterAll, beforeAll, expect, test } from "vitest";

let site = "";

beforeAll(async () => {
  site = await mkdtemp(join(tmpdir(), "sandbank-site-"));
  await promisify(execFile)(process.execPath, [
    outside("vitepress/bin/vitepress.js"),
    "build",
    "--outDir",
    site,
  ]);
}, 240_000);

afterAll(() => rm(site, { recursive: true, force: true }));

test("every link of the site leads to a page of it, and to a heading where it names one", () => {
  const pages = new Map(
    globSync("**/*.html", { cwd: site }).map((path) => [`/${path}`, readFileSync(join(site, path), "utf8")]),
  );
  const dead = Array.from(pages).flatMap(([path, html]) =>
    Array.from(
      html.matchAll(/<a [^>]*?href="([^"]*)"/g),
      ([, href = ""]) => new URL(href, `http://site${path}`),
    )
      .filter(({ host, pathname }) => host === "site" && !/\.(js|css|woff2)$/.test(pathname))
      .filter(({ pathname, hash }) => {
        const target = pages.get(pathname.replace(/\/$/, "/index.html"));
        const id = decodeURIComponent(hash.slice(1));
        return target === undefined || (id !== "" && !target.includes(`id="${id}"`));
      })
      .map(({ pathname, hash }) => `${path} → ${pathname}${hash}`),
  );
  expect(pages.size).toBeGreaterThan(20);
  expect(dead).toEqual([]);
});

test("the site loads nothing from other servers, and draws its diagrams", () => {
  const html = readFileSync(join(site, "docs/lifecycles.html"), "utf8");
  expect(html).toContain('<svg role="img"');
  expect(html).not.toContain("stateDiagram");
  const loaded = globSync("**/*.{html,css}", { cwd: site }).flatMap((path) =>
    Array.from(
      readFileSync(join(site, path), "utf8").matchAll(/(?:src="|@import |url\(["']?)(https?:[^"') ]*)/g),
      ([, url]) => `${path}: ${url}`,
    ),
  );
  expect(loaded).toEqual([]);
});

test("the site has the documentation as text for coding agents", () => {
  const contents = readFileSync(join(site, "llms.txt"), "utf8");
  expect(contents).toBe(readFileSync("llms.txt", "utf8"));
  const page = readFileSync("docs/faults.md", "utf8");
  expect(readFileSync(join(site, "docs/faults.md"), "utf8")).toBe(page);
  expect(readFileSync(join(site, "llms-full.txt"), "utf8")).toContain(page);
});

test("the search of the site knows fields of scenario files and headings of every page", () => {
  const index = globSync("assets/chunks/@localSearchIndex*.js", { cwd: site })
    .map((path) => readFileSync(join(site, path), "utf8"))
    .join("");
  for (const word of ["objectnumber", "twice", "idempotency"]) expect(index).toContain(`"${word}"`);
});
