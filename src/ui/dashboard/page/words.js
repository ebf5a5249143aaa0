// @ts-check

/** @typedef {"good" | "bad" | "waiting" | "quiet"} Tone */

const GOOD = new Set([
  "passed",
  "ACTIVE",
  "ACCEPTED",
  "COMPLETED",
  "PAID",
  "REFUNDED",
  "CONFIRMED",
  "running",
  "delivered",
  "DELIVERED",
]);
const BAD = new Set([
  "failed",
  "REJECTED",
  "ERROR",
  "DENIED",
  "CANCELED_INSUFFICIENT_BALANCE",
  "undelivered",
  "lost",
  "FAILED",
]);
const QUIET = new Set(["CANCELED", "EXPIRED", "CLOSED", "INACTIVE", "frozen"]);

/**
 * How a state is to be taken: well ended, badly ended, over without either, or still waiting for something.
 *
 * @param {string} status
 * @returns {Tone}
 */
export function toneOf(status) {
  if (GOOD.has(status)) return "good";
  if (BAD.has(status)) return "bad";
  return QUIET.has(status) ? "quiet" : "waiting";
}

/**
 * A sum as a list shows it: an amount object or a decimal text with its currency.
 *
 * @param {unknown} amount
 * @param {unknown} [currency]
 */
export function amountText(amount, currency) {
  const { value, currency: own } =
    typeof amount === "object" && amount !== null
      ? /** @type {{ value?: unknown, currency?: unknown }} */ (amount)
      : { value: amount, currency };
  if (typeof value !== "string" || !/^-?\d+(\.\d+)?$/.test(value)) return "";
  const [whole = "", decimals] = value.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, " ");
  return `${grouped}${decimals === undefined ? "" : `.${decimals}`}${typeof own === "string" ? ` ${own}` : ""}`;
}

/**
 * An id short enough for a list: its beginning, where it is a UUID.
 *
 * @param {string} id
 */
export function shortId(id) {
  return isUuid(id) ? id.slice(0, 8) : id;
}

/** @param {string} text */
export function isUuid(text) {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/**
 * The number with its noun: `1 timer`, `3 timers`.
 *
 * @param {number} count
 * @param {string} noun
 */
export function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * What a refusal says, in sentences for a person.
 *
 * @param {unknown} answer the body of an answer
 * @param {number} status
 */
export function sentenceOf(answer, status) {
  const { details, message } = /** @type {{ details?: { description?: string }[], message?: string }} */ (
    answer ?? {}
  );
  const sentences = (Array.isArray(details) ? details : [])
    .map(({ description }) => description ?? "")
    .filter(Boolean);
  if (sentences.length > 0) return sentences.join(" ");
  return message ?? `The sandbox answered ${status} and said no more.`;
}

/**
 * Whether every word of the search stands somewhere in what is searched.
 *
 * @param {string} search
 * @param {...unknown} texts
 */
export function matches(search, ...texts) {
  const text = texts
    .map((part) => (typeof part === "string" ? part : (JSON.stringify(part) ?? "")))
    .join(" ")
    .toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
