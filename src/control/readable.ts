/**
 * Whether an answer is read by a person: the query says `pretty`, or the client accepts any type or text, as curl and
 * browsers do. A program that asks for JSON, or for nothing in particular, is not meant, nor one that calls `fetch`,
 * which accepts any type like curl and says `sec-fetch-mode: cors`.
 */
export function isReadable(url: string, headers: Headers): boolean {
  const pretty = new URL(url).searchParams.get("pretty");
  if (pretty !== null) return pretty !== "false";
  const accepted = headers.get("accept") ?? "";
  if (accepted === "*/*" && headers.get("sec-fetch-mode") === "cors") return false;
  return /\*\/\*|text\//.test(accepted) && !accepted.includes("json");
}

/** Indents JSON that comes in pieces, cut anywhere, and changes nothing else. */
export class JsonIndenter {
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** A list or an object has begun, and nothing of it has come yet. */
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
