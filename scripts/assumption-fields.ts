import type { Assumption, AssumptionKind } from "../src/simulator/platform/assumptions/assumption.ts";
import { assumptions } from "../src/scenarios/vocabulary.ts";

type Source = Readonly<Record<string, unknown>>;

/** Returns the schemas of the assumptions that can be set, by their ids. `also` allows a further value for each. */
export function assumptionFields(also?: Source): Source {
  return Object.fromEntries(
    Object.entries<Assumption<unknown>>(assumptions)
      .filter(([, { type }]) => type.kind !== "statement")
      .map(([id, { says, type, default: value }]) => {
        const schema = valueSchema(type);
        return [id, { description: says, ...(also ? { anyOf: [schema, also] } : schema), default: value }];
      }),
  );
}

/** Returns the schema of the values of a kind, as a file has them. */
function valueSchema(type: AssumptionKind): Source {
  switch (type.kind) {
    case "flag":
      return { enum: [true, false, "true", "false"] };
    case "duration":
      return { type: "string", format: "duration" };
    case "durations":
      return {
        type: "array",
        items: { type: "string", format: "duration" },
        minItems: type.length,
        maxItems: type.length,
      };
    case "count":
      return { type: "integer", minimum: type.min, maximum: type.max };
    case "choice":
      return { enum: type.choices };
    case "time":
    case "amount":
    case "statement":
      return { type: ["string", "number"] };
  }
}
