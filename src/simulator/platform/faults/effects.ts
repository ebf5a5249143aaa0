import type { Effect, EffectFieldType, EffectSlot, WireEffect } from "./effect.ts";
import { apiEffects, clockEffects } from "./api-effects.ts";
import { bodyEffects, scheduleEffects, signatureEffects, wireEffects } from "./webhook-effects.ts";

/** Every effect by family, in the order of lists and documents. */
export const effectFamilies = {
  schedule: scheduleEffects,
  signature: signatureEffects,
  body: bodyEffects,
  wire: wireEffects,
  api: apiEffects,
  clock: clockEffects,
} as const;

const effects = {
  ...scheduleEffects,
  ...signatureEffects,
  ...bodyEffects,
  ...wireEffects,
  ...apiEffects,
  ...clockEffects,
};

/** The name of an effect; no two families share one. */
export type EffectName = keyof typeof effects;

/** The target of an effect. */
export type SideOf<Name extends EffectName> = (typeof effects)[Name]["on"];

/** The fields of each effect, as a person writes them. */
export type EffectFields = { readonly [Name in EffectName]: Written<(typeof effects)[Name]["fields"]> };

type Written<Fields extends Effect["fields"]> = {
  readonly [Name in keyof Fields as Fields[Name] extends Required ? Name : never]: ValueOf<
    Fields[Name]["type"]
  >;
} & {
  readonly [Name in keyof Fields as Fields[Name] extends Required ? never : Name]?: ValueOf<
    Fields[Name]["type"]
  >;
};

interface Required {
  readonly required: true;
}

type ValueOf<Type extends EffectFieldType> = Type extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : Type extends { readonly kind: "count" }
    ? number
    : Type extends { readonly kind: "flag" }
      ? boolean
      : string;

/**
 * The effects that change one slot. A table of their functions has this type, so the compiler finds a missing effect.
 */
export type EffectIn<Slot extends EffectSlot> = {
  [Name in EffectName]: (typeof effects)[Name]["slot"] extends Slot ? Name : never;
}[EffectName];

/** The effects that do something to the connection which no other effect does. */
export type WireEffectName = {
  [Name in EffectName]: (typeof effects)[Name] extends { readonly wire: WireEffect } ? Name : never;
}[EffectName];

/** The names of the effects in explored schedules. */
export type DeviationName = {
  [Name in EffectName]: (typeof effects)[Name] extends { readonly deviations: infer Deviations }
    ? keyof Deviations
    : never;
}[EffectName];

export function effectNames(): readonly EffectName[] {
  return Object.keys(effects) as EffectName[];
}

export function isEffectName(name: string): name is EffectName {
  return Object.hasOwn(effects, name);
}

export function effectOf(name: EffectName): Effect {
  return effects[name];
}

/** Every effect as `GET /sandbox/faults` shows it. */
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
