import { type Schema, definition, referencedName } from "../../simulator/api/schemas.ts";
import { PROVIDER_SAYS, type VerifiedInteraction, type VerifiedPact } from "./verification.ts";
import { operationAt } from "../../simulator/api/operations.ts";

/** The results of one interaction on the sandbox and on the platform. */
export interface DriftRow {
  readonly consumer: string;
  readonly description: string;
  readonly sandbox: VerifiedInteraction["verdict"] | "missing";
  readonly platform: VerifiedInteraction["verdict"] | "missing";
  /** The facts that are true for only one of them, in short. */
  readonly differences: readonly string[];
  /** The assumptions that the difference concerns: settings to change if the platform is right. */
  readonly assumptions: readonly string[];
}

/** Compares the verdicts of the sandbox with those of the platform, one row for each interaction. */
export function driftBetween(
  sandbox: readonly VerifiedPact[],
  platform: readonly VerifiedPact[],
): DriftRow[] {
  const theirs = new Map(rowsOf(platform));
  return rowsOf(sandbox).map(([key, { consumer, interaction: ours }]) => {
    const their = theirs.get(key)?.interaction;
    const differences = their === undefined ? [] : differencesBetween(ours, their);
    return {
      consumer,
      description: ours.description,
      sandbox: ours.verdict,
      platform: their?.verdict ?? "missing",
      differences,
      assumptions: differences.length === 0 ? [] : assumptionsOf([ours, their ?? ours]),
    };
  });
}

function rowsOf(pacts: readonly VerifiedPact[]) {
  return pacts.flatMap(({ consumer, source, interactions }) =>
    interactions.map((interaction): [string, { consumer: string; interaction: VerifiedInteraction }] => [
      JSON.stringify([consumer, source, interaction.description, interaction.states]),
      { consumer, interaction },
    ]),
  );
}

function differencesBetween(ours: VerifiedInteraction, theirs: VerifiedInteraction): string[] {
  if (theirs.verdict === "skipped") return [];
  const [own, other] = [findingsOf(ours), findingsOf(theirs)];
  const isWording = (line: string): boolean => line.startsWith(PROVIDER_SAYS);
  // Two with the same failure need not describe it in the same words.
  const [lines, others] = [own, other].map((all) => all.filter((line) => !isWording(line)).join("\n"));
  if (lines === others) return [];
  return [
    ...own.filter((line) => !other.includes(line)).map((line) => `sandbox: ${line}`),
    ...other.filter((line) => !own.includes(line)).map((line) => `platform: ${line}`),
  ];
}

function findingsOf({ mismatches, reasons }: VerifiedInteraction): string[] {
  return [
    ...mismatches.map(({ path, key, mismatch, type }) =>
      [path ?? key, mismatch ?? type].filter(Boolean).join(" "),
    ),
    ...reasons,
  ];
}

/** Returns the assumptions behind an operation, its status and the fields that differ. */
function assumptionsOf(interactions: readonly VerifiedInteraction[]): string[] {
  const found = interactions.flatMap(({ request, mismatches }) => {
    const operation = request === undefined ? undefined : operationAt(request);
    return mismatches.flatMap(({ type, path = "" }) => {
      const own = operation?.assumption === undefined ? [] : [operation.assumption];
      if (type === "StatusMismatch") return [...own, "http.statuses"];
      if (type !== "BodyMismatch" || operation === undefined) return own;
      return [...own, ...assumptionsAlong(operation.response, path)];
    });
  });
  return [...new Set(found)].sort();
}

/** Returns the assumptions behind the fields of a JSON path, from the shape down. */
function assumptionsAlong(shape: string, path: string): string[] {
  const keys = path.match(/[A-Za-z_][\w-]*/g) ?? [];
  const found: string[] = [];
  let schema: Schema | undefined = definition(shape).schema;
  for (const key of ["", ...keys]) {
    if (key !== "") schema = resolved(schema)?.properties?.[key];
    if (schema?.items !== undefined) schema = schema.items;
    const marks = [schema?.["x-assumption"], resolved(schema)?.["x-assumption"]];
    found.push(...marks.filter((mark) => mark !== undefined));
  }
  return found;
}

function resolved(schema: Schema | undefined): Schema | undefined {
  return schema?.$ref === undefined ? schema : resolved(definition(referencedName(schema.$ref)).schema);
}
