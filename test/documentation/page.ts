import { readFileSync } from "node:fs";

/** One fenced block of a page. */
export interface Block {
  readonly language: string;
  /** `title="gym.yaml"` after the language: the block is a file of that name. */
  readonly title: string | undefined;
  /** `server` after the language: the command does not end by itself. */
  readonly isServer: boolean;
  readonly text: string;
  readonly line: number;
  /** Whether nothing but an empty line stands between the block before and this one. */
  readonly follows: boolean;
}

const FENCE = /^```(?<language>\w*) ?(?<words>.*)\n(?<text>[\s\S]*?)^```$/gm;

/** A command by which a sandbox, or an example that is a server, starts and stays. */
const SERVES =
  /(?:^|\s)(?:npm start|sandbank(?: --)? serve|node examples\/(?:\S+\/main\.ts|receiver\.mjs))\b/;

/** Every fenced block of a Markdown page, in its order. */
export function blocksOf(path: string): Block[] {
  const page = readFileSync(path, "utf8");
  let end = 0;
  return Array.from(page.matchAll(FENCE), (match) => {
    const { language = "", words = "", text = "" } = match.groups ?? {};
    const follows = end > 0 && page.slice(end, match.index).trim() === "";
    end = match.index + match[0].length;
    return {
      language,
      title: /title="([^"]+)"/.exec(words)?.[1],
      isServer: /\bserver\b/.test(words) || (language === "sh" && SERVES.test(text)),
      text,
      line: page.slice(0, match.index).split("\n").length,
      follows,
    };
  });
}
