import type { Sandbox } from "../../../src/server/access/sandbox-interface.ts";
import { textOf } from "./markup.ts";

/** A command of the page, with its operation. */
export interface PageCommand {
  readonly section: string;
  readonly line: string;
}

/** Every curl command of the page, in its order. */
export function commandsOf(page: string): PageCommand[] {
  return page.split('<section id="').flatMap((part) => {
    const section = part.slice(0, part.indexOf('"'));
    const blocks = Array.from(
      part.matchAll(/<pre class="code" tabindex="0"><code>([\s\S]*?)<\/code><\/pre>/g),
    );
    const lines = blocks.map(([, markup = ""]) => textOf(markup)).filter((text) => text.startsWith("curl "));
    return lines.map((line) => ({ section, line }));
  });
}

/** The command of that operation; the first where it has several. */
export function commandOf(page: string, section: string): string {
  const found = commandsOf(page).find((command) => command.section === section);
  if (found === undefined) throw new Error(`no command of ${section}`);
  return found.line;
}

/** Runs a curl command against a sandbox in this process: its words as a shell splits them, its flags as curl reads them. */
export async function run(sandbox: Sandbox, line: string): Promise<Response> {
  const [program, ...words] = wordsOf(line);
  if (program !== "curl") throw new Error(`${program} is not curl`);
  const headers = new Headers();
  const data: string[] = [];
  let method: string | undefined;
  let url = "";
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const next = (): string => words[(at += 1)] ?? "";
    if (word === "--request" || word === "-X") method = next();
    else if (word === "--url") url = next();
    else if (word === "--header" || word === "-H") headers.append(...split(next(), ": "));
    else if (word === "--data" || word === "-d") data.push(next());
    else if (word === "--data-urlencode") data.push(new URLSearchParams([split(next(), "=")]).toString());
    else if (/^https?:/.test(word)) url = word;
    else throw new Error(`${word} is no word of a curl command on the page`);
  }
  if (data.length > 0 && !headers.has("content-type"))
    headers.set("content-type", "application/x-www-form-urlencoded");
  const { pathname, search } = new URL(url);
  return sandbox.fetch(pathname + search, {
    method: method ?? (data.length > 0 ? "POST" : "GET"),
    headers,
    ...(data.length > 0 && { body: data.join("&") }),
  });
}

function split(text: string, by: string): [string, string] {
  const at = text.indexOf(by);
  return [text.slice(0, at), text.slice(at + by.length)];
}

function wordsOf(line: string): string[] {
  const joined = line.replaceAll("\\\n", " ");
  return Array.from(joined.matchAll(/(?:'[^']*'|\\'|[^\s'])+/g), ([word]) =>
    word.replaceAll(
      /'([^']*)'|\\(')/g,
      (_, quoted: string | undefined, escaped: string | undefined) => quoted ?? escaped ?? "",
    ),
  );
}
