import { readdirSync, readFileSync } from "node:fs";

/** A file of the page, as a browser gets it. */
export interface PageFile {
  readonly text: string;
  readonly type: string;
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
};

const folder = new URL("page/", import.meta.url);
let files: ReadonlyMap<string, PageFile> | undefined;

/**
 * The file of that name in `page/`; undefined where there is none. All are read at the first question, and
 * only what was found then is ever given out, so that no name leads elsewhere.
 */
export function readPage(name: string): PageFile | undefined {
  files ??= new Map(readdirSync(folder).flatMap(pageFile));
  return files.get(name);
}

function pageFile(name: string): [string, PageFile][] {
  const type = TYPES[name.slice(name.lastIndexOf(".") + 1)];
  return type === undefined ? [] : [[name, { text: readFileSync(new URL(name, folder), "utf8"), type }]];
}
