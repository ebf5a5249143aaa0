import { jsonReporter } from "./json.ts";
import { junitReporter } from "./junit.ts";
import { prettyReporter } from "./pretty.ts";
import type { MakeReporter } from "./reporter.ts";
import { tapReporter } from "./tap.ts";

/** The reporters by the name that `--reporter` takes. */
export const reporters = {
  pretty: prettyReporter,
  json: jsonReporter,
  junit: junitReporter,
  tap: tapReporter,
} as const satisfies { readonly [name: string]: MakeReporter };

export type ReporterName = keyof typeof reporters;
