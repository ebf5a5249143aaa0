import type { ScenarioContext } from "./scenarios/context.ts";
import { assumptions } from "./platform/assumptions/assumptions.ts";
import { operations } from "./interface/operations.ts";
import { parse as parseYaml } from "yaml";
import { readAssumption } from "./platform/assumptions/reading.ts";
import { readFileSync } from "node:fs";

const BODIES = new URL("../fixtures/bodies.yaml", import.meta.url);

/** What scenario files of this sandbox may name: its operations, its assumptions and the bodies that ship. */
export function scenarioContext(): ScenarioContext {
  return {
    operations,
    fixtures: parseYaml(readFileSync(BODIES, "utf8"), { merge: true }) as Record<string, unknown>,
    assumptions: Object.keys(assumptions),
    checkAssumption: (id, value) => {
      const read = readAssumption(id, value);
      return "mistake" in read ? read.mistake : undefined;
    },
  };
}
