import type { Report } from "./context.ts";
import { hasExpression } from "./expression.ts";
import { isRecord } from "./fixture.ts";
import { suggestion } from "./mistake.ts";
import { paramMistake } from "./schema.ts";

/** The values of a state's params: those given, else the defaults; each has to meet its own `schema`. */
export function givenParams(
  declared: unknown,
  given: { readonly [name: string]: unknown } = {},
  report: Report,
): { [name: string]: unknown } {
  const params = isRecord(declared) ? declared : {};
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(params, name)) {
      report(
        ["params"],
        `\`${name}\` was given, but is no param here. ${suggestion(name, Object.keys(params))}`,
      );
    }
  }
  const entries = Object.entries(params).map(([name, param]): [string, unknown] => {
    const { default: byDefault, schema } = isRecord(param) ? param : {};
    const value = Object.hasOwn(given, name) ? given[name] : byDefault;
    // A date such as ${today} gets its value only once there is a world.
    const isOpen =
      schema === undefined || value === undefined || (typeof value === "string" && hasExpression(value));
    const mistake = isOpen ? undefined : paramMistake(value, schema);
    if (mistake !== undefined) {
      const what = Object.hasOwn(given, name) ? "The value given for" : "The default of";
      report(["params", name], `${what} \`${name}\` is wrong: ${mistake}.`);
    }
    return [name, value];
  });
  return Object.fromEntries(entries);
}
