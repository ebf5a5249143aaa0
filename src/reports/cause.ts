/** The likely cause of a finding. */
export interface Cause<Code extends string = string> {
  /** The fixed name, such as `handled-twice`. docs/causes.md lists all codes. */
  readonly code: Code;
  /** The cause and its remedy, as sentences. */
  readonly text: string;
  /** The observed facts, as sentences. */
  readonly evidence: readonly string[];
}
