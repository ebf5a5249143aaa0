const VOID = new Set(["meta", "link", "input", "br", "img", "hr"]);

/** A tag of a page: its name and its attributes, with their decoded values. */
export interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** What is wrong with the markup of a page: tags that do not close, text that is no text, attributes twice. */
export function markupMistakes(page: string): string[] {
  const open: string[] = [];
  const mistakes: string[] = [];
  let from = page.indexOf("<html");
  for (const match of page.matchAll(TAG)) {
    if (match.index < from) continue;
    const text = page.slice(from, match.index);
    if (/[<>]|&(?!(?:amp|lt|gt|quot|#39);)/.test(text)) mistakes.push(`text: ${text.slice(0, 80)}`);
    from = match.index + match[0].length;
    const [, closing, name = "", attributes = ""] = match;
    if (closing === "/") {
      const last = open.pop();
      if (last !== name) mistakes.push(`</${name}> closes <${last}>`);
    } else if (!VOID.has(name)) open.push(name);
    if (name === "p" && open.filter((one) => one === "p").length > 1) mistakes.push("<p> in <p>");
    if (name === "a" && open.filter((one) => one === "a").length > 1) mistakes.push("<a> in <a>");
    const names = Array.from(attributes.matchAll(ATTRIBUTE), ([, attribute]) => attribute);
    if (new Set(names).size !== names.length) mistakes.push(`twice: ${attributes}`);
  }
  return [...mistakes, ...open.map((name) => `<${name}> stays open`)];
}

const TAG = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"<]*")?)*)\s*\/?>/g;
const ATTRIBUTE = /([a-z-]+)(?:="([^"]*)")?/g;

export function tags(page: string): Tag[] {
  return Array.from(page.matchAll(TAG))
    .filter(([, closing]) => closing === "")
    .map(([, , name = "", attributes = ""]) => ({
      name,
      attributes: Object.fromEntries(
        Array.from(attributes.matchAll(ATTRIBUTE), ([, key = "", value = ""]) => [key, unescaped(value)]),
      ),
    }));
}

/** The text of markup without the tags in it. */
export function textOf(markup: string): string {
  return unescaped(markup.replaceAll(TAG, ""));
}

function unescaped(text: string): string {
  const characters: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };
  return text.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => characters[name] ?? "");
}
