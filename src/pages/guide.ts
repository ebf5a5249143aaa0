import { namedOf, type ServerEnv } from "../server/environment.ts";
import type { Hono } from "hono";
import type { Worlds } from "../simulator/worlds/worlds.ts";
import { pageAnswer } from "./page-files.ts";
import { readFileSync } from "node:fs";

/** The address of a server in the documentation. */
const DEFAULT_ORIGIN = "http://127.0.0.1:4010";

const PACKAGE = new URL("../../", import.meta.url);

/**
 * Mounts the documentation as text, for coding agents (https://llmstxt.org): `/llms.txt` with the contents, the pages
 * that it links to, and all of them in one file, `/llms-full.txt`.
 */
export function mountGuide(app: Hono<ServerEnv>, worlds: Worlds): void {
  const answer = (text: string, type = "text/markdown"): Response =>
    pageAnswer(text, { type: `${type}; charset=utf-8`, now: worlds.now });
  const contents = readOnce("llms.txt");
  app.get("/llms.txt", (c) => {
    const { origin } = new URL(namedOf(c).inbound.head.origin);
    return answer(contents().replaceAll(DEFAULT_ORIGIN, origin), "text/plain");
  });
  app.get("/llms-full.txt", () => answer(wholeGuide(contents(), pageText), "text/plain"));
  app.get("/README.md", () => answer(pageText("README.md")));
  // Only the pages that the contents link to. No path leads to another file.
  app.get("/docs/:file{.+\\.md}", (c, next) => {
    const page = c.req.path.slice(1);
    return pagesIn(contents()).includes(page) ? Promise.resolve(answer(pageText(page))) : next();
  });
}

/** Returns all pages that the contents link to, after the contents. */
export function wholeGuide(contents: string, textOf: (page: string) => string): string {
  return [contents, ...pagesIn(contents).map((page) => `<!-- ${page} -->\n\n${textOf(page)}`)].join("\n");
}

/** Returns the pages that the contents link to, in their order. */
export function pagesIn(contents: string): string[] {
  return Array.from(contents.matchAll(/^- \[[^\]]+\]\(([^)]+\.md)\)/gm), ([, page = ""]) => page);
}

function pageText(page: string): string {
  return readFileSync(new URL(page, PACKAGE), "utf8");
}

function readOnce(page: string): () => string {
  let text: string | undefined;
  return () => (text ??= pageText(page));
}
