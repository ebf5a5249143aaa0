type Fields = Readonly<Record<string, unknown>>;

const UNHEARD_OF = "UNHEARD_OF";

/** The event with fields nobody announced, beside its own and in its `data` where it has one. */
export function withExtraFields(json: string): string {
  const event = JSON.parse(json) as Fields;
  const extra = { announcedNowhere: { depth: 1, tags: ["new"] }, absentForNow: null };
  const { data } = event;
  return JSON.stringify({ ...event, ...(isFields(data) && { data: { ...data, ...extra } }), ...extra });
}

/** An event of the same family whose name nobody knows. */
export function withUnknownEvent(json: string): string {
  const event = JSON.parse(json) as Fields;
  const [family = "EVENT"] = String(event["event"]).split(".");
  return JSON.stringify({ ...event, event: `${family}.${UNHEARD_OF}` });
}

/** The event with a status that nobody knows, in its `data` where the status is there. */
export function withUnknownStatus(json: string): string {
  const event = JSON.parse(json) as Fields;
  const { data } = event;
  if (isFields(data)) return JSON.stringify({ ...event, data: { ...data, status: UNHEARD_OF } });
  return JSON.stringify({ ...event, status: UNHEARD_OF });
}

/** The event filled up to a size in bytes; one that is larger already stays as it is. */
export function filledUp(json: string, bytes: number): string {
  const missing = bytes - Buffer.byteLength(json) - ',"padding":""'.length;
  return missing < 0 ? json : `${json.slice(0, -1)},"padding":"${"x".repeat(missing)}"}`;
}

/** One digit is another one: that of an amount where there is one, else the first of all. */
export function tampered(json: string): string {
  const at = /"(?:value|amount)":"?[0-9]/u.exec(json) ?? /[0-9]/u.exec(json);
  if (at === null) return `${json} `;
  const position = at.index + at[0].length - 1;
  const digit = json[position] === "9" ? "1" : "9";
  return json.slice(0, position) + digit + json.slice(position + 1);
}

/** The same JSON in other bytes. */
export function indented(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
