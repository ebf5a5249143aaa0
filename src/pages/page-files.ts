import { readdirSync, readFileSync } from "node:fs";
import { commonHeaders } from "../server/answer.ts";

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
 * Returns a function that answers with the file of a name in a folder, or undefined if the file does not exist. All
 * files are read at the first request, and only those are ever served, so that no name leads to another file.
 */
export function pageFiles(folder: URL): (name: string, now: number) => Response | undefined {
  let texts: ReadonlyMap<string, string> | undefined;
  return (name, now) => {
    texts ??= new Map(
      readdirSync(folder)
        .filter((file) => typeOf(file) !== undefined)
        .map((file) => [file, readFileSync(new URL(file, folder), "utf8")]),
    );
    const text = texts.get(name);
    return text === undefined ? undefined : pageAnswer(text, { type: typeOf(name), now });
  };
}

function typeOf(name: string): string | undefined {
  return TYPES[name.slice(name.lastIndexOf(".") + 1)];
}

/** Returns a page, or a file of a page, under the policy that admits no other origins. `now` is the world's time. */
export function pageAnswer(
  text: string,
  {
    type = TYPES["html"] ?? "",
    now,
    status = 200,
  }: { readonly type?: string | undefined; readonly now: number; readonly status?: number },
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
