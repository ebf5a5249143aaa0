import { expect, test } from "vitest";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { headingId } from "../scripts/heading-id.ts";

const read = (path: string): string => readFileSync(path, "utf8");

test("every link from page to page leads somewhere", () => {
  const pages = [
    "README.md",
    "README.pt-BR.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    ...globSync("docs/**/*.md"),
  ];
  const broken = pages.flatMap((page) =>
    Array.from(read(page).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g), ([, to = ""]) =>
      join(dirname(page), to),
    )
      .filter((path) => !existsSync(path))
      .map((path) => `${page} → ${path}`),
  );
  expect(broken).toEqual([]);
});

test("every link to a section of a page names a heading of that page", () => {
  const pages = ["README.md", "README.pt-BR.md", "CONTRIBUTING.md", ...globSync("docs/**/*.md")];
  const broken = pages.flatMap((page) =>
    Array.from(
      read(page).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g),
      ([link, to = "", place = ""]) => ({
        link: `${page} → ${link}`,
        target: to === "" ? page : join(dirname(page), to),
        place,
      }),
    )
      .filter(
        ({ target, place }) =>
          target.endsWith(".md") && !placesIn(read(target)).has(decodeURIComponent(place)),
      )
      .map(({ link }) => link),
  );
  expect(broken).toEqual([]);
});

/** Returns the names of the headings of a page, as GitHub makes them. */
function placesIn(text: string): Set<string> {
  const headings = Array.from(text.matchAll(/^#{1,6} (.+)$/gm), ([, heading = ""]) => heading);
  return new Set(headings.map((heading) => headingId(heading.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1"))));
}

test("every page of docs and examples is in the contents of the site", () => {
  const contents = read(".vitepress/config.ts");
  const missing = globSync(["docs/**/*.md", "examples/**/*.md"]).filter(
    (path) => !contents.includes(`"/${path.replace(/\.md$/, "")}"`),
  );
  expect(missing).toEqual([]);
});

test("every file that the page about the architecture names is there", () => {
  const named = Array.from(
    read("docs/architecture.md").matchAll(/`([\w/-]+\.(?:ts|js|json|yaml))`/g),
    ([, path = ""]) => path,
  );
  expect(named).not.toEqual([]);
  const isThere = (path: string) => ["", "src/"].some((root) => existsSync(root + path));
  expect(named.filter((path) => path.includes("/") && !isThere(path))).toEqual([]);
});
