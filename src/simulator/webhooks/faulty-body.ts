import { assertDefined } from "../engine/assertion.ts";
import {
  type BodySpelling,
  type BodySpellingName,
  bodySpellings,
} from "../platform/faults/body-spellings.ts";
import { failureOf } from "../api/events.ts";
import { isRecord } from "../engine/json.ts";
import { withChanges } from "../api/schemas.ts";

const UNHEARD_OF = "UNHEARD_OF";

/** Returns the event with unknown fields, next to its own and in its `data` if it has one. */
export function withExtraFields(json: string): string {
  const event = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const extra = { announcedNowhere: { depth: 1, tags: ["new"] }, absentForNow: null };
  const { data } = event;
  return JSON.stringify({ ...event, ...(isRecord(data) && { data: { ...data, ...extra } }), ...extra });
}

/** Returns an event of the same family with an unknown name. */
export function withUnknownEvent(json: string): string {
  const event = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const [family = "EVENT"] = String(event["event"]).split(".");
  return JSON.stringify({ ...event, event: `${family}.${UNHEARD_OF}` });
}

/** Returns the event with an unknown status, in its `data` if the status is there. */
export function withUnknownStatus(json: string): string {
  const event = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const { data } = event;
  if (isRecord(data)) return JSON.stringify({ ...event, data: { ...data, status: UNHEARD_OF } });
  return JSON.stringify({ ...event, status: UNHEARD_OF });
}

/** Returns the event as its failure. An event that reports no success is unchanged. */
export function withFailure(json: string): string {
  const event = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const failure = failureOf(String(event["event"]));
  return failure === undefined ? json : JSON.stringify(withChanges(event, failure));
}

/** Returns the event filled up to a size in bytes. A larger event is unchanged. */
export function filledUp(json: string, bytes: number): string {
  const missing = bytes - Buffer.byteLength(json) - ',"padding":""'.length;
  return missing < 0 ? json : `${json.slice(0, -1)},"padding":"${"x".repeat(missing)}"}`;
}

/** Returns the event with one changed digit: a digit of an amount, otherwise the first digit. */
export function tampered(json: string): string {
  const at = /"(?:value|amount)":"?[0-9]/u.exec(json) ?? /[0-9]/u.exec(json);
  if (at === null) return `${json} `;
  const position = at.index + at[0].length - 1;
  const digit = json[position] === "9" ? "1" : "9";
  return json.slice(0, position) + digit + json.slice(position + 1);
}

/** Returns the same JSON in other bytes. */
export function indented(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2);
}

const SPELLINGS: readonly BodySpelling[] = Object.values(bodySpellings);

/** Returns the body in the requested spelling, or in the spelling of this turn, counted from 1. */
export function canary(json: string, name: BodySpellingName | null, turn: number): string {
  const spelling = name === null ? SPELLINGS[(turn - 1) % SPELLINGS.length] : bodySpellings[name];
  return assertDefined(spelling, "a spelling of a body").write(json);
}
