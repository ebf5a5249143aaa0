import type { Path } from "./scenario.ts";
import type { ScenarioFixtures, ScenarioOperations } from "./world.ts";

/** What the sandbox has against one field, by its dotted path. */
export interface FieldProblem {
  readonly field: string;
  readonly description: string;
}

/** What a scenario file is checked against. */
export interface ScenarioContext {
  readonly operations: ScenarioOperations;
  readonly fixtures: ScenarioFixtures;
  /** The ids there are; any is taken when left out. */
  readonly assumptions?: readonly string[];
  /** A sentence that says what is wrong with one assumption and its value, or undefined. */
  readonly checkAssumption?: (id: string, value: unknown) => string | undefined;
  /** Sentences that say which assumptions, each right by itself, contradict one another. */
  readonly contradictions?: (assumptions: { readonly [id: string]: unknown }) => readonly string[];
  /** What the sandbox would refuse of a fault. */
  readonly faultProblems?: (fault: { readonly [field: string]: unknown }) => readonly FieldProblem[];
  /** What the sandbox would refuse of the fields that an act names beside its object. */
  readonly actProblems?: (
    act: string,
    fields: { readonly [field: string]: unknown },
  ) => readonly FieldProblem[];
  /** The bodies in a folder of fixtures and what lies beside them, or what is wrong with the folder. */
  readonly fixturesIn?: (
    folder: string,
  ) => { readonly fixtures: ScenarioFixtures } | { readonly mistake: string };
  /** Values for the params of a state, in place of their defaults. */
  readonly params?: { readonly [name: string]: unknown };
}

/** Notes a mistake about the value, or with `atKey` the key, at an address of the file. */
export type Report = (path: Path, message: string, atKey?: boolean) => void;
