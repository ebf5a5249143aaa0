import type { FieldProblem, ScenarioContext } from "../scenarios/context.ts";
import { acts, assumptions } from "../platform/catalog.ts";
import { events } from "../api/events.ts";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadFixtures, SHIPPED_FIXTURES } from "../worlds/fixture-files.ts";
import { operations } from "../api/operations.ts";
import { parse as parseYaml } from "yaml";
import { readAssumption, readAssumptions } from "../platform/assumptions/reading.ts";
import { readFault } from "../platform/faults/reading.ts";
import { Refusal } from "../engine/refusal.ts";
import { validateShape } from "../api/validation.ts";

type Bodies = Readonly<Record<string, unknown>>;

const BODIES = "bodies.yaml";

const NAMES = { events: Object.keys(events), operations: Object.keys(operations) };

/** What scenario files of this sandbox may name: its operations, its assumptions and the bodies that ship. */
export function scenarioContext(): ScenarioContext {
  const shipped = bodiesIn(SHIPPED_FIXTURES);
  return {
    operations,
    fixtures: shipped,
    fixturesIn: (folder) => ownFixtures(folder, shipped),
    assumptions: Object.keys(assumptions),
    checkAssumption: (id, value) => {
      const read = readAssumption(id, value);
      return "mistake" in read ? read.mistake : undefined;
    },
    contradictions: (written) => readAssumptions(written).mistakes,
    faultProblems: problemsOfFault,
    actProblems: (name, fields) => {
      const act = acts.get(name);
      if (act === undefined) return [];
      return validateShape(act.fields ?? "NoFields", act.normalize(fields));
    },
  };
}

function problemsOfFault(fault: Readonly<Record<string, unknown>>): readonly FieldProblem[] {
  try {
    readFault(fault, NAMES);
    return [];
  } catch (error) {
    if (error instanceof Refusal) return error.problems;
    throw error;
  }
}

/** A folder's own bodies beside those that ship; the folder has to be one that a world can start from. */
function ownFixtures(folder: string, shipped: Bodies): { fixtures: Bodies } | { mistake: string } {
  try {
    loadFixtures(folder);
    return existsSync(join(folder, BODIES))
      ? { fixtures: { ...shipped, ...bodiesIn(folder) } }
      : { fixtures: shipped };
  } catch (error) {
    return { mistake: (error as Error).message };
  }
}

function bodiesIn(folder: string): Bodies {
  return parseYaml(readFileSync(join(folder, BODIES), "utf8"), { merge: true }) as Bodies;
}
