import { isCnpj, isCpf } from "./documents.ts";
import { UUID_PATTERN } from "../../engine/uuid.ts";

/** The kinds of PIX key (interface: Payout event, pix type values). */
export type PixKeyType = "CPF" | "CNPJ" | "EMAIL" | "PHONE" | "RANDOM";

const KEY_LENGTH_MAX = 77;

const RANDOM = new RegExp(`^${UUID_PATTERN}$`);
const PHONE = /^\+[1-9]\d{2,15}$/;
const HOST_LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const EMAIL = new RegExp(`^[a-z0-9.!#$%&'*+/=?^_\`{|}~-]+@${HOST_LABEL}(?:\\.${HOST_LABEL})*$`);

/**
 * Returns the kind of a key. Undefined for any other text. The key has the spelling of the key directory:
 * - e-mail and random keys in lower case;
 * - a phone with `+` and country code, so eleven digits without `+` are a CPF;
 * - a document without punctuation and with right check digits.
 */
export function pixKeyType(key: string): PixKeyType | undefined {
  if (key.length > KEY_LENGTH_MAX) return undefined;
  if (RANDOM.test(key)) return "RANDOM";
  if (key.includes("@")) return EMAIL.test(key) ? "EMAIL" : undefined;
  if (key.startsWith("+")) return PHONE.test(key) ? "PHONE" : undefined;
  if (isCpf(key)) return "CPF";
  if (isCnpj(key) && key === key.toUpperCase()) return "CNPJ";
  return undefined;
}

/** A Brazilian phone without its country code: a mobile phone, or a landline phone. */
const NATIONAL_PHONE = /^(?:55)?([1-9][1-9](?:9\d{8}|[2-5]\d{7}))$/;

/**
 * Returns the key that a refused text probably means: another spelling of a key, or a phone without `+55`. Undefined
 * if there is none.
 */
export function meantPixKey(text: string): string | undefined {
  const [, phone] = NATIONAL_PHONE.exec(text.replaceAll(/[\s().-]/g, "")) ?? [];
  return normalizePixKey(text) ?? (phone === undefined ? undefined : `+55${phone}`);
}

/** Returns the key in the spelling of the directory, from a typed text. Undefined if the result is not a key. */
export function normalizePixKey(text: string): string | undefined {
  const typed = text.trim();
  const compact = typed.replace(/[\s().\-/]/g, "").toUpperCase();
  return [compact, typed.toLowerCase()].find((candidate) => pixKeyType(candidate) !== undefined);
}
