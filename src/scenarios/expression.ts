import { isDuration } from "../engine/instant.ts";

/** What may stand between `${` and `}`: something saved, a matrix value, a param, or a date. */
export type Expression =
  | {
      readonly kind: "reference";
      /** What is meant: a saved name, or `matrix.x` and `params.x` whole. */
      readonly name: string;
      readonly path: readonly string[];
      readonly text: string;
    }
  | {
      readonly kind: "date";
      readonly base: "today" | "now";
      readonly terms: readonly { readonly sign: 1 | -1; readonly duration: string }[];
      readonly text: string;
    };

/** A text cut into what stands as it is and the expressions in it. */
export type Template = readonly (string | Expression)[];

/** An expression that cannot be read, or whose value cannot be had. The message is whole sentences. */
export class ExpressionError extends Error {}

/** Names that an expression reads something else by, so that nothing can be saved under them. */
export const reservedNames: readonly string[] = ["matrix", "params", "today", "now"];

const opening = /\$\$\{|\$\{/g;
const reference = /^[A-Za-z_][\w-]*(?:\.[\w-]+|\[\d+\])*$/;
const date = /^(today|now)((?:\s*[+-]\s*[A-Za-z0-9.,]+)*)$/;

/** Cuts a text into its parts; `$${` stands for a plain `${`. Throws an `ExpressionError` on what it cannot read. */
export function parseTemplate(text: string): Template {
  const parts: (string | Expression)[] = [];
  let literal = "";
  let from = 0;
  for (const { 0: found, index } of text.matchAll(opening)) {
    if (index < from) continue;
    literal += text.slice(from, index);
    from = index + found.length;
    if (found === "$${") {
      literal += "${";
      continue;
    }
    const end = text.indexOf("}", from);
    if (end === -1) throw new ExpressionError(`\`${text.slice(index)}\` has no closing }.`);
    if (literal !== "") parts.push(literal);
    literal = "";
    parts.push(parseExpression(text.slice(from, end).trim()));
    from = end + 1;
  }
  literal += text.slice(from);
  if (literal !== "" || parts.length === 0) parts.push(literal);
  return parts;
}

/** Whether a text holds anything to be filled in, readable or not. */
export function hasExpression(text: string): boolean {
  return text.includes("${");
}

function parseExpression(text: string): Expression {
  const dated = date.exec(text);
  if (dated)
    return { kind: "date", base: dated[1] as "today" | "now", terms: parseTerms(dated[2] ?? ""), text };
  if (!reference.test(text)) {
    throw new ExpressionError(
      `\`\${${text}}\` cannot be read. An expression is \`\${name.path}\`, \`\${matrix.x}\`, \`\${params.x}\`, \`\${today + P3D}\` or \`\${now + PT1H}\`.`,
    );
  }
  const [first = "", ...rest] = text.replaceAll("[", ".").replaceAll("]", "").split(".");
  if (first !== "matrix" && first !== "params") return { kind: "reference", name: first, path: rest, text };
  const [name, ...path] = rest;
  if (name === undefined) {
    throw new ExpressionError(`\`\${${text}}\` names no value. Write \`\${${first}.name}\`.`);
  }
  return { kind: "reference", name: `${first}.${name}`, path, text };
}

function parseTerms(text: string): { sign: 1 | -1; duration: string }[] {
  return [...text.matchAll(/([+-])\s*([^\s+-]+)/g)].map(([, sign, duration = ""]) => {
    if (!isDuration(duration)) {
      throw new ExpressionError(
        `\`${duration}\` is no ISO 8601 duration. Write one such as P3D, P1M or PT1H.`,
      );
    }
    return { sign: sign === "-" ? -1 : 1, duration };
  });
}
