import type { BookedObject } from "../../simulator/api/generated/shapes.ts";
import type { Baseline } from "./baseline.ts";
import { causeOfBooks } from "../../scenarios/books/finding.ts";
import type { Divergence } from "./exploration.ts";
import type { Schedule } from "./deviations.ts";
import { isRecord } from "../../simulator/engine/json.ts";

/** Reports differences between the books and the ledger in the baseline itself: a divergence without deviations. */
export function booksDivergence({
  played,
  state,
  exploration: { scenario, receiver, replayOf },
}: Baseline): Divergence[] {
  const { books } = played;
  if (books.length === 0) return [];
  const deviations: Schedule = [];
  const where = typeof receiver === "string" ? ` --receiver ${receiver}` : "";
  return [
    {
      deviations,
      differences: books.map(({ path, ledger, yours }) => ({ path, baseline: ledger, found: yours })),
      arrivals: [],
      cause: causeOfBooks(books),
      replay: replayOf?.(deviations) ?? `sandbank run ${scenario.file}${where}`,
      title: "Your books and the ledger differ although nothing goes wrong",
      alike: [],
      books,
      state: state.value,
    },
  ];
}

/** The partner's possible words for money that moved, and for money that did not move. */
const HERE = {
  done: /^(?:paid|settled|completed|done|success|succeeded|pago|liquidado)$/i,
  undone: /^(?:canceled|cancelled|failed|error|rejected|expired|cancelado|recusado)$/i,
};
const THERE = {
  done: new Set(["PAID", "COMPLETED"]),
  undone: new Set(["CANCELED", "ERROR", "REJECTED", "EXPIRED", "CANCELED_INSUFFICIENT_BALANCE"]),
};

/**
 * Finds contradictions between the state at the end of the baseline and the platform: for example an object that is
 * CANCELED there and `paid` here. A contradiction is only a hint, since two systems may use different words. A charge
 * is paid if one of its resends is paid.
 */
export function contradictions(state: unknown, objects: readonly BookedObject[]): string[] {
  const found = new Set<string>();
  const paidAgain = new Set(
    objects.flatMap(({ status, resendOf }) => (THERE.done.has(status) ? (resendOf ?? []) : [])),
  );
  const walk = (value: unknown, key: string): void => {
    if (Array.isArray(value)) for (const item of value) walk(item, "");
    if (!isRecord(value)) return;
    const texts = [key, ...Object.values(value)].filter((one): one is string => typeof one === "string");
    for (const { collection, id, externalId, status, resendOf } of objects) {
      if (paidAgain.has(resendOf ?? id) && THERE.undone.has(status)) continue;
      if (!texts.includes(id) && (externalId === null || !texts.includes(externalId))) continue;
      const opposite = THERE.undone.has(status)
        ? HERE.done
        : THERE.done.has(status)
          ? HERE.undone
          : undefined;
      const word = opposite && texts.slice(1).find((text) => opposite.test(text));
      if (word !== undefined)
        found.add(
          `A hint: ${externalId ?? id} of ${collection} is ${status} on the platform and "${word}" in your system, although nothing went wrong. See docs/books.md.`,
        );
    }
    for (const [name, item] of Object.entries(value)) walk(item, name);
  };
  walk(state, "");
  return [...found].slice(0, HINTS_MAX);
}

/** More hints do not help anyone. */
const HINTS_MAX = 5;
