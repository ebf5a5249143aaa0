/** A whole number of a check: its range, its default, and its description. */
export interface Limit {
  readonly range: readonly [min: number, max: number];
  readonly preset?: number;
  readonly says: string;
}

/** Returns the description of a limit with its default, for a help page. */
export function describedLimit({ says, preset }: Limit): string {
  return preset === undefined ? says : `${says} [default: ${preset}]`;
}
