/**
 * Returns an amount for a list, from an amount object or from a decimal text with its currency.
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
  const decimals = value.split(".")[1]?.length;
  const format = new Intl.NumberFormat("en", {
    ...(decimals !== undefined && { minimumFractionDigits: decimals }),
    ...(typeof own === "string" && /^[A-Z]{3}$/.test(own) && { style: "currency", currency: own }),
  });
  return format.format(/** @type {any} */ (value)).replaceAll("\u00a0", " ");
}

/** Returns the name of the other side of an object. @param {Record<string, any>} thing an object of the platform API */
function partyOf({ debtor, customer, receiver, payer }) {
  return String(
    [debtor, customer, receiver, payer].map((one) => one?.name ?? one?.fullName).find(Boolean) ?? "",
  );
}

/**
 * Returns the facts about an object for a list.
 *
 * @param {Record<string, any>} thing an object of the platform API
 * @returns {import("./page-data.ts").Summary}
 */
export function summaryOf(thing) {
  const id = String(thing["id"] ?? thing["claimId"] ?? "");
  const due = typeof thing["dueDate"] === "string" ? `due ${thing["dueDate"]}` : undefined;
  return {
    id,
    status: String(thing["status"] ?? ""),
    title: String(thing["externalId"] ?? thing["fullName"] ?? thing["key"]?.value ?? id),
    party: partyOf(thing),
    note: [
      thing["paymentMethod"],
      thing["frequencyType"],
      thing["purpose"],
      thing["holderType"],
      thing["reason"],
      due,
    ]
      .filter((part) => typeof part === "string")
      .map(inWords)
      .join(" · "),
    amount: amountText(
      thing["amount"] ?? thing["fixedAmount"] ?? thing["initialCharge"]?.amount,
      thing["currency"],
    ),
    at: String(thing["updatedAt"] ?? thing["createdAt"] ?? ""),
  };
}

/** @param {string} value such as `FINANCIAL_INSTITUTION` */
function inWords(value) {
  return /^[A-Z]+(_[A-Z]+)+$/.test(value) ? value.toLowerCase().replaceAll("_", " ") : value;
}

/** Returns an id that is short enough for a list: its beginning, if it is a UUID. @param {string} id */
export function shortId(id) {
  return isUuid(id) ? id.slice(0, 8) : id;
}

/** @param {string} text */
export function isUuid(text) {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** Returns the number with its noun: `1 timer`, `3 timers`. @param {number} count @param {string} noun */
export function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * Returns the message of a refusal, for a person to read.
 *
 * @param {unknown} answer the body of the answer
 * @param {number} status
 */
export function errorText(answer, status) {
  /** @type {{ details?: { description?: string }[], message?: string, error_description?: string }} */
  const { details, message, error_description: description } = answer ?? {};
  // Refunds are refused with a list of sentences, all others with a body that has details.
  const sentences = (Array.isArray(answer) ? answer : Array.isArray(details) ? details : [])
    .map((one) => (typeof one === "string" ? one : (one?.description ?? "")))
    .filter(Boolean);
  if (sentences.length > 0) return sentences.join(" ");
  return description ?? message ?? `The sandbox answered ${status} without a message.`;
}

/**
 * Returns the JSON value of a text. If it is not JSON, an object with the beginning of the text as its
 * message.
 *
 * @param {string} text
 * @returns {any}
 */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text.slice(0, 300) };
  }
}

/**
 * Returns true if every word of the search is somewhere in the texts.
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

/** Writes a value on one line: a text as it is, any other value as JSON. @param {unknown} value */
export function valueText(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Bytes of a body that are shown as hex. */
const HEX_BYTES_MAX = 4096;

/** Returns indented JSON. If it is not JSON, the text itself. @param {string} text */
export function prettyText(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/**
 * Returns the bytes of a text in UTF-8, sixteen to a line: their offset, their hex, and their characters.
 *
 * @param {string} text
 */
export function hexText(text) {
  const bytes = new TextEncoder().encode(text);
  const lines = [];
  for (let start = 0; start < Math.min(bytes.length, HEX_BYTES_MAX); start += 16) {
    const row = Array.from(bytes.subarray(start, start + 16));
    const hex = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const print = row.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·")).join("");
    lines.push(`${start.toString(16).padStart(4, "0")}  ${hex.padEnd(47)}  ${print}`);
  }
  if (bytes.length > HEX_BYTES_MAX) lines.push(`… ${bytes.length - HEX_BYTES_MAX} bytes more`);
  return lines.join("\n");
}
