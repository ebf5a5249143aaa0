import { type Schema, definition, referencedName } from "../../simulator/api/schemas.ts";
import { type MatchingRules, type RulesByPlace, rule } from "./pact-json.ts";
import { UUID_PATTERN } from "../../simulator/engine/uuid.ts";

/** An example, and the rules for the differences that a real answer may have. */
export interface Expected {
  readonly content: unknown;
  readonly rules: RulesByPlace;
}

/** Formats as regular expressions that the verifier's engine reads. */
const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$",
  date: "^\\d{4}-\\d{2}-\\d{2}$",
  uuid: `^${UUID_PATTERN}$`,
  uri: "^https?://\\S+$",
  email: "^\\S+@\\S+$",
};

/**
 * Returns the expectation that a consumer may have after an example: the form of the schema, never the values. A
 * required field that is null stays null or gets a value of its schema, so that a consumer meets both. An optional null
 * field is left out. In the items of a list only the required fields are expected.
 */
export function expectedBy(schema: Schema, example: unknown): Expected {
  const rules: Record<string, MatchingRules> = {};
  const content = walk(schema, example, { place: "$", rules, requiredOnly: false });
  return { content, rules };
}

interface Walk {
  readonly place: string;
  readonly rules: Record<string, MatchingRules>;
  /** Inside lists: their items have only the required fields in common. */
  readonly requiredOnly: boolean;
}

function walk(written: Schema, example: unknown, at: Walk): unknown {
  const schema = whole(written);
  if (Array.isArray(example)) return walkList(schema, example, at);
  if (typeof example === "object" && example !== null)
    return walkObject(schema, example as Readonly<Record<string, unknown>>, at);
  at.rules[at.place] = ruleOf(schema, example);
  return example;
}

function walkList({ items = {} }: Schema, example: readonly unknown[], at: Walk): unknown {
  const [first] = example;
  if (first === undefined) {
    at.rules[at.place] = rule({ match: "type", min: 0 });
    return [];
  }
  at.rules[at.place] = rule({ match: "type", min: 1 });
  return [walk(items, first, { ...at, place: `${at.place}[*]`, requiredOnly: true })];
}

function walkObject(schema: Schema, example: Readonly<Record<string, unknown>>, at: Walk): unknown {
  const { properties = {}, required = [] } = schema;
  const fields = Object.entries(example)
    .filter(([key, value]) => required.includes(key) || (value !== null && !at.requiredOnly))
    .filter(([key]) => Object.hasOwn(properties, key))
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(
    fields.map(([key, value]) => [
      key,
      walk(properties[key] ?? {}, value, { ...at, place: `${at.place}${step(key)}` }),
    ]),
  );
}

function step(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `['${key}']`;
}

function ruleOf(schema: Schema, example: unknown): MatchingRules {
  if (example === null) return nullOr(schema);
  if (typeof example === "boolean") return rule({ match: "boolean" });
  if (typeof example === "number") return rule({ match: Number.isInteger(example) ? "integer" : "decimal" });
  const words = schema.const === undefined ? schema.enum : [schema.const];
  if (words !== undefined)
    return rule({ match: "regex", regex: `^(${words.filter(isText).map(escaped).join("|")})$` });
  const regex = FORMATS[schema.format ?? ""] ?? plainPattern(schema.pattern);
  return rule(regex === undefined ? { match: "type" } : { match: "regex", regex });
}

/** Returns the rule for a field that is null in the example. `type` alone would accept only null there. */
function nullOr({ type, ...schema }: Schema): MatchingRules {
  const isInteger = [type].flat().includes("integer");
  const [other] = ruleOf(schema, isInteger ? 0 : "").matchers;
  const isOpen = other?.["match"] === "type";
  return {
    combine: "OR",
    matchers: [{ match: "null" }, isOpen ? { match: "regex", regex: String.raw`^[\s\S]*$` } : { ...other }],
  };
}

/**
 * Returns a pattern if the verifier's engine can read it. The engine has no lookaround. For a pattern that needs it,
 * only the type is checked.
 */
function plainPattern(pattern: string | undefined): string | undefined {
  return pattern === undefined || pattern.includes("(?") ? undefined : pattern;
}

function isText(word: unknown): word is string {
  return typeof word === "string";
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** Returns a schema with its references and parents resolved. */
function whole(schema: Schema): Schema {
  const { $ref, allOf = [], ...own } = schema;
  const inherited = [...($ref === undefined ? [] : [definition(referencedName($ref)).schema]), ...allOf].map(
    whole,
  );
  if (inherited.length === 0) return schema;
  const parts = [...inherited, own];
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties = {} }) => properties)) as Schema["properties"],
    required: parts.flatMap(({ required = [] }) => required),
  } as Schema;
}
