/**
 * Returns true if a person reads the answer: the query has `pretty`, or the client accepts any type or text, as curl
 * and browsers do. Programs count as no person: they ask for JSON, or name no type. A program that calls `fetch`
 * accepts any type like curl, but sends `sec-fetch-mode: cors`.
 */
export function isReadable(url: string, headers: Headers): boolean {
  const pretty = new URL(url).searchParams.get("pretty");
  if (pretty !== null) return pretty !== "false";
  const accepted = headers.get("accept") ?? "";
  if (accepted === "*/*" && headers.get("sec-fetch-mode") === "cors") return false;
  return /\*\/\*|text\//.test(accepted) && !accepted.includes("json");
}

/** Indents JSON. It arrives in pieces that are cut anywhere. Nothing else changes. */
export class JsonIndenter {
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** True if a list or an object has begun and is still empty. */
  #hasBegun = false;

  indent(piece: string): string {
    let indented = "";
    for (const character of piece) indented += this.#next(character);
    return indented;
  }

  #next(character: string): string {
    if (this.#inString) {
      this.#inString = this.#isEscaped || character !== '"';
      this.#isEscaped = !this.#isEscaped && character === "\\";
      return character;
    }
    if (character === "}" || character === "]") {
      this.#depth--;
      const line = this.#hasBegun ? "" : this.#newLine();
      this.#hasBegun = false;
      return line + character;
    }
    const before = this.#hasBegun ? this.#newLine() : "";
    this.#hasBegun = character === "{" || character === "[";
    this.#inString = character === '"';
    if (this.#hasBegun) this.#depth++;
    if (character === ",") return `,${this.#newLine()}`;
    return before + (character === ":" ? ": " : character);
  }

  #newLine(): string {
    return `\n${"  ".repeat(this.#depth)}`;
  }
}
