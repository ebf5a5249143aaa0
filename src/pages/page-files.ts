import { readdirSync, readFileSync } from "node:fs";
import { commonHeaders } from "../server/answer.ts";

/** A file of a page, as it is sent to a browser. */
interface PageFile {
  readonly text: string;
  readonly type: string;
}

/** Serves the files of a page. */
export interface PageFiles {
  /** Returns the answer with the file of that name. Undefined if the file does not exist. */
  answer(name: string, now: number): Response | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
};

/**
 * Allows only the sandbox's own files and its own API. Text cannot become markup or script. Other pages may not frame
 * these pages, because the dashboard can change everything in a world.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/**
 * Reads the files of a folder. All are read at the first request, and only those are ever served, so that no name leads
 * to another file.
 */
export function pageFiles(folder: URL): PageFiles {
  let files: ReadonlyMap<string, PageFile> | undefined;
  return {
    answer: (name, now) => {
      files ??= new Map(readdirSync(folder).flatMap((file) => pageFile(folder, file)));
      const file = files.get(name);
      return file && pageAnswer(file.text, { type: file.type, now });
    },
  };
}

function pageFile(folder: URL, name: string): [string, PageFile][] {
  const type = TYPES[name.slice(name.lastIndexOf(".") + 1)];
  return type === undefined ? [] : [[name, { text: readFileSync(new URL(name, folder), "utf8"), type }]];
}

/** Returns a page, or a file of a page, under the policy that admits no other origins. `now` is the world's time. */
export function pageAnswer(
  text: string,
  {
    type = TYPES["html"] ?? "",
    now,
    status = 200,
  }: { readonly type?: string; readonly now: number; readonly status?: number },
): Response {
  return new Response(text, {
    status,
    headers: {
      "content-type": type,
      "content-security-policy": POLICY,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cache-control": "no-store",
      ...commonHeaders({ now }),
    },
  });
}
