import type { EffectField } from "../../src/simulator/platform/faults/effect.ts";
import { type EffectName, effectOf } from "../../src/simulator/platform/faults/effects.ts";

/** Returns a fault with this effect and a value for each of its fields. */
export function faultWith(name: EffectName): Readonly<Record<string, unknown>> {
  const { on, fields, needsBetween } = effectOf(name);
  return {
    on,
    effect: name,
    ...Object.fromEntries(
      Object.entries<EffectField>(fields).map(([field, { type }]) => [field, valueOf(type)]),
    ),
    ...(needsBetween === true && { between: ["2026-11-20T09:00:00-03:00", "2026-11-20T10:00:00-03:00"] }),
  };
}

function valueOf(type: EffectField["type"]): unknown {
  switch (type.kind) {
    case "duration":
      return "PT1S";
    case "count":
      return type.min;
    case "choice":
      return type.choices[0];
    case "flag":
      return true;
    case "text":
      return type.example;
  }
}
