import type { Records } from "../engine/store.ts";
import { isRecord } from "../engine/json.ts";
import { QR_IMAGE } from "./undrawn-qr-image.ts";
import { freedomAssumptions } from "./assumptions/freedoms.ts";
import { assumedValues } from "./assumptions/assumptions.ts";

type Freedom = keyof typeof freedomAssumptions;

type Fields = Readonly<Record<string, unknown>>;

const FREEDOMS = Object.keys(freedomAssumptions) as Freedom[];

/** A status, and the end of the name of an event, that the platform API does not have. */
export const UNKNOWN = "UNDER_REVIEW";

/** The optional fields that may be null, of the events of each type and of accounts (interface: Events, Account). */
const NULLABLE: Readonly<Record<string, readonly string[]>> = {
  "PAY-IN": ["paidAt", "endToEndId"],
  "PAY-OUT": ["paidAt", "endToEndId", "controlNumber"],
  REFUND: ["refundedAt", "paidAt", "endToEndId"],
};

const OF_ACCOUNTS = ["holderType"];

/** The texts that the platform writes, by their longest form. */
const LENGTHS: Readonly<Record<string, number>> = {
  message: 500,
  errorMessage: 500,
  name: 140,
  fullName: 140,
};

/** The functions that change the fields of an object, one for each freedom. The values are changed before. */
const CHANGES: Readonly<Partial<Record<Freedom, (fields: Fields) => Fields>>> = {
  "freedoms.long-texts": (fields) =>
    changed(fields, (value, name) => (typeof value === "string" ? lengthened(value, LENGTHS[name]) : value)),
  "freedoms.instants": (fields) =>
    changed(fields, (value) => (typeof value === "string" ? respelled(value) : value)),
  "freedoms.unknown-status": (fields) => {
    const { statusHistory: history } = fields;
    const last: unknown = Array.isArray(history) ? history.at(-1) : undefined;
    if (!isRecord(last)) return fields;
    return {
      ...fields,
      statusHistory: (history as unknown[]).toSpliced(-1, 0, { ...last, status: UNKNOWN }),
    };
  },
  "freedoms.absent-optionals": (fields) => {
    const nullable = NULLABLE[String(fields["type"])] ?? OF_ACCOUNTS;
    const present = Object.entries(fields).filter(
      ([name, value]) => value !== null || !nullable.includes(name),
    );
    const absent = nullable === OF_ACCOUNTS ? [] : nullable.filter((name) => !Object.hasOwn(fields, name));
    return Object.fromEntries([...present, ...absent.map((name) => [name, null])]);
  },
  "freedoms.unknown-fields": (fields) => ({ ...fields, extension: { since: "2026-01-01", of: ["a", 1] } }),
  "freedoms.field-order": (fields) => Object.fromEntries(Object.entries(fields).toReversed()),
};

/** Whether a world uses a freedom. */
export function uses(reader: Records, freedom: Freedom): boolean {
  return assumedValues(reader)[freedom] === true;
}

/** A body of an answer or a webhook, written with the freedoms that a world uses (assumptions: freedoms). */
export function withFreedoms<Body extends object>(reader: Records, body: Body): Body {
  const values = assumedValues(reader);
  const changes = FREEDOMS.filter((one) => values[one] === true).flatMap((one) => CHANGES[one] ?? []);
  return changes.length === 0 ? body : (rewritten(body, changes) as Body);
}

function rewritten(value: unknown, changes: readonly ((fields: Fields) => Fields)[]): unknown {
  if (Array.isArray(value)) return value.map((item) => rewritten(item, changes));
  if (!isRecord(value) || Object.hasOwn(value, QR_IMAGE)) return value;
  const fields = changed(value, (field) => rewritten(field, changes));
  return changes.reduce((written, change) => change(written), fields);
}

function changed(fields: Fields, change: (value: unknown, name: string) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value, name)]));
}

function lengthened(text: string, length = 0): string {
  return text === "" ? text : text.padEnd(length, `-${text}`);
}

function respelled(text: string): string {
  const [, seconds, fraction] = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\.(\d{3})Z$/.exec(text) ?? [];
  if (seconds === undefined) return text;
  return fraction === "000" ? `${seconds}Z` : `${seconds}.${String(fraction)}000Z`;
}
