import { assert } from "../../engine/assertion.ts";
import { formatInstant, type Instant } from "../../engine/instant.ts";
import { ALPHANUMERIC, type Chance } from "../../engine/random.ts";
import { type CalendarDate, isDate } from "./calendar.ts";

const ISPB = /^[0-9A-Z]{8}$/;

interface MomentOfInstitution {
  /** Eight digits or capitals: the institution that sends the order, or that has the account of the recurrence. */
  readonly ispb: string;
  readonly instant: Instant;
  readonly chance: Chance;
}

/** `E` and 31 characters that name one PIX payment: institution, minute of sending in UTC, eleven random characters. */
export function endToEndId(moment: MomentOfInstitution): string {
  return `E${institutionAndMinute(moment)}`;
}

/** `D` and 31 characters that name one return of a PIX payment: the endToEndId of a refund. */
export function returnId(moment: MomentOfInstitution): string {
  return `D${institutionAndMinute(moment)}`;
}

/**
 * Returns 29 characters that name a recurrence at the financial provider: RR if charges may be retried after their
 * due date, otherwise RN, then the institution, the date in São Paulo, and eleven random characters.
 */
export function recurrenceId(recurrence: {
  readonly retriesAllowed: boolean;
  readonly ispb: string;
  readonly date: CalendarDate;
  readonly chance: Chance;
}): string {
  const { retriesAllowed, ispb, date, chance } = recurrence;
  return `${retriesAllowed ? "RR" : "RN"}${checkedIspb(ispb)}${compactDate(date)}${chance.text(ALPHANUMERIC, 11)}`;
}

/** The txid of a dynamic charge, 32 lower-case hexadecimal digits: the conciliationId of the platform API. */
export function transactionId(chance: Chance): string {
  return chance.uuid().replaceAll("-", "");
}

/** `STR20261120000000001`: twenty characters that name one TED of a day; `sequence` counts from 1. */
export function tedControlNumber({
  date,
  sequence,
}: {
  readonly date: CalendarDate;
  readonly sequence: number;
}): string {
  assert(Number.isInteger(sequence) && sequence > 0 && sequence < 1e9, `TED number ${sequence} of a day`);
  return `STR${compactDate(date)}${String(sequence).padStart(9, "0")}`;
}

function institutionAndMinute({ ispb, instant, chance }: MomentOfInstitution): string {
  const minute = formatInstant(instant).slice(0, "2026-11-20T12:00".length).replace(/[-T:]/g, "");
  return checkedIspb(ispb) + minute + chance.text(ALPHANUMERIC, 11);
}

function checkedIspb(ispb: string): string {
  assert(ISPB.test(ispb), `${ispb} is not an ISPB`);
  return ispb;
}

function compactDate(date: CalendarDate): string {
  assert(isDate(date), `${date} is not a date`);
  return date.replaceAll("-", "");
}
