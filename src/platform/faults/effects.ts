import type { Effect } from "./effect.ts";
import { apiEffects } from "./api-effects.ts";
import { bodyEffects } from "./body-effects.ts";
import { scheduleEffects } from "./schedule-effects.ts";
import { signatureEffects } from "./signature-effects.ts";
import { wireEffects } from "./wire-effects.ts";

/** Every effect by family, in the order in which they are listed and documented. */
export const effectFamilies = {
  schedule: scheduleEffects,
  signature: signatureEffects,
  body: bodyEffects,
  wire: wireEffects,
  api: apiEffects,
} as const;

export type EffectFamily = keyof typeof effectFamilies;

type EffectsOf<Family extends EffectFamily> = keyof (typeof effectFamilies)[Family] & string;

/** The name of an effect; no two families share one. */
export type EffectName = { [Family in EffectFamily]: EffectsOf<Family> }[EffectFamily];

const all: ReadonlyMap<string, Effect> = new Map(
  Object.values(effectFamilies).flatMap((family) => Object.entries<Effect>(family)),
);

export function effectNames(): readonly EffectName[] {
  return [...all.keys()] as EffectName[];
}

export function isEffectName(name: string): name is EffectName {
  return all.has(name);
}

export function effectOf(name: EffectName): Effect {
  return all.get(name)!;
}

/** The whole catalogue as `GET /sandbox/faults` shows it. */
export function effectListing(): object[] {
  return Object.entries(effectFamilies).flatMap(([family, effects]) =>
    Object.entries<Effect>(effects).map(([name, { on, fields, needsBetween, onTheWire, uncovers }]) => ({
      name,
      on,
      family,
      fields: Object.fromEntries(
        Object.entries(fields).map(([field, { type, required = false, default: preset, description }]) => [
          field,
          { ...type, required, default: preset, description },
        ]),
      ),
      needs: needsBetween === true ? ["between"] : [],
      description: onTheWire,
      uncovers,
    })),
  );
}
