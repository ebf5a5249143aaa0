/** Faults as data: their effects with their fields, and the forms of bodies and signatures that receivers meet. */
export { type Effect, type EffectField, type EffectSlot, SIDES } from "../platform/faults/effect.ts";
export { type DeviationName, type EffectName, effectNames, effectOf } from "../platform/faults/effects.ts";
export { type BodySpelling, type SpellingFamily, bodySpellings } from "../platform/faults/body-spellings.ts";
export {
  SIGNATURE_PREFIX,
  type SignatureFormName,
  signatureForms,
} from "../platform/faults/signature-forms.ts";
export type { FaultDefinition } from "../platform/faults/fault.ts";
export { readFault } from "../platform/faults/reading.ts";
export { matchesGlob } from "../platform/faults/selection.ts";
export { hasArrived } from "../platform/webhook-events/delivery.ts";
