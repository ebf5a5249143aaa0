import type { Assumption, AssumptionKind } from "../src/simulator/platform/assumptions/assumption.ts";
import { assumptionTypeSchema } from "../src/server/control/openapi-vocabulary.ts";
import { assumptions } from "../src/scenarios/vocabulary.ts";

type Source = Readonly<Record<string, unknown>>;

/** Returns the schemas of the assumptions that can be set, by their ids. `schemaOf` describes the values of a kind. */
export function assumptionFields(schemaOf: (type: AssumptionKind) => Source): Source {
  return Object.fromEntries(
    Object.entries<Assumption<unknown>>(assumptions)
      .filter(([, { type }]) => type.kind !== "statement")
      .map(([id, { says, type, default: value }]) => [
        id,
        { description: says, ...schemaOf(type), default: value },
      ]),
  );
}

/** Returns the schema of the values of a kind. A file may also have a flag as text, and a time or an amount as a number. */
export function valueSchema(type: AssumptionKind): Source {
  switch (type.kind) {
    case "flag":
      return { enum: [true, false, "true", "false"] };
    case "choice":
      return { enum: type.choices };
    case "time":
    case "amount":
      return { type: ["string", "number"] };
    case "duration":
    case "durations":
    case "count":
    case "statement":
      return assumptionTypeSchema(type);
  }
}
