import type { Fixtures } from "./seed.ts";
import { distinctMistakes, type Entries, type FixtureMistake, type Used } from "./fixture-uses.ts";
import { failureCodes } from "./payouts/failures.ts";
import { isCnpj, isCpf } from "../countries/brazil/documents.ts";
import { listed, suggestion } from "../engine/suggestion.ts";
import { magicPayers } from "./payers/payer.ts";
import { meantPixKey, pixKeyType } from "../countries/brazil/pix-keys.ts";
import { steps } from "./catalog.ts";

/**
 * Finds the mistakes of fixtures that a schema does not find. The entries of a user's own lists have their positions;
 * the other entries are ours.
 */
export function fixtureMistakes(entries: Entries): FixtureMistake[] {
  return [
    ...distinctMistakes(usesOf(entries)),
    ...companyMistakes(entries),
    ...pixKeyMistakes(entries),
    ...payerMistakes(entries),
    ...bankMistakes(entries),
    ...own(entries.people).flatMap(({ value, path }) => documentMistake(value.document, ["people", ...path])),
  ];
}

/** An entry of a user's own list, with the path from the list to it. */
interface OwnEntry<Item> {
  readonly value: Item;
  readonly path: readonly number[];
}

function own<Item>(all: readonly { readonly value: Item; readonly index?: number }[]): OwnEntry<Item>[] {
  return all.flatMap(({ value, index }) => (index === undefined ? [] : [{ value, path: [index] }]));
}

/** Lists the values that may occur once, with the places of their entries. */
function usesOf(entries: Entries): Used[] {
  const companyUses = entries.companies.flatMap(({ value: company, index }): Used[] => {
    const at = (...path: (string | number)[]) =>
      index === undefined ? undefined : ["companies", index, ...path];
    const owner = company.id;
    return [
      { what: "id of a company", value: company.id, owner, path: at("id") },
      { what: "client id", value: company.clientId ?? company.id, owner, path: at("clientId") },
      { what: "token", value: company.token, owner, path: at("token") },
      ...(company.tokenWithoutScope === undefined
        ? []
        : [{ what: "token", value: company.tokenWithoutScope, owner, path: at("tokenWithoutScope") }]),
      ...company.accounts.flatMap(({ id, document, bankAccountData }, account): Used[] => {
        const { ispb, branchNumber, accountNumber } = bankAccountData;
        const number = `${ispb ?? ""} ${branchNumber} ${accountNumber}`;
        const inside = (...path: string[]) => at("accounts", account, ...path);
        return [
          ...(id === undefined
            ? []
            : [{ what: "id of an account", value: id.toLowerCase(), owner, path: inside("id") }]),
          {
            what: "account number",
            value: number,
            shown: accountNumber,
            owner,
            path: inside("bankAccountData", "accountNumber"),
          },
          {
            what: "document",
            value: document.number.toUpperCase(),
            owner,
            path: inside("document", "number"),
            isSharedInside: true,
          },
        ];
      }),
    ];
  });
  const once = <Name extends keyof Entries>(
    list: Name,
    what: string,
    field: string,
    valueOf: (item: Fixtures[Name][number]) => string,
  ): Used[] =>
    entries[list].map(({ value, index }) => ({
      what,
      value: valueOf(value),
      path: index === undefined ? undefined : [list, index, field],
    }));
  return [
    ...companyUses,
    ...once("pix-keys", "PIX key", "key", ({ key }) => key),
    ...once("known-payers", "document of a payer", "id", ({ id }) => id),
    ...once("cards", "card number", "id", ({ id }) => id),
    ...once("cards", "card token", "token", ({ token }) => token),
    ...once("deposit-banks", "slug", "slug", ({ slug }) => slug),
    ...once("people", "document of a person", "document", ({ document: { number } }) => number),
  ];
}

function companyMistakes({ companies }: Entries): FixtureMistake[] {
  return own(companies).flatMap(({ value, path }) =>
    value.accounts.flatMap(({ document, balance }, index) => {
      const at = ["companies", ...path, "accounts", index];
      const negative = {
        path: [...at, "balance"],
        message: `must not be below zero; found ${balance}. Write 0.00, and let a scenario withdraw the money.`,
      };
      return [...documentMistake(document, at), ...(balance.startsWith("-") ? [negative] : [])];
    }),
  );
}

/** Checks the check digits of a Brazilian document. `path` leads to its owner. */
function documentMistake(
  { type, number }: { readonly type: string; readonly number: string },
  path: readonly (string | number)[],
): FixtureMistake[] {
  const isRight = { CPF: isCpf, CNPJ: isCnpj }[type];
  if (isRight?.(number) ?? true) return [];
  const form = type === "CPF" ? "11 digits" : "14 digits or letters";
  const message = `must be a ${type}: ${form} with right check digits; found "${number}".`;
  return [{ path: [...path, "document", "number"], message }];
}

function meantText(key: string): string {
  const meant = meantPixKey(key);
  return meant === undefined ? "" : ` Did you mean ${meant}?`;
}

function pixKeyMistakes({ companies, "pix-keys": keys }: Entries): FixtureMistake[] {
  const known = companies.flatMap(({ value }) => value.accounts.flatMap(({ id }) => id?.toLowerCase() ?? []));
  return own(keys).flatMap(({ value, path }) => {
    const at = ["pix-keys", ...path];
    const found: FixtureMistake[] = [];
    if (pixKeyType(value.key) === undefined)
      found.push({
        path: [...at, "key"],
        message: `must be a PIX key: an e-mail or a UUID in lower case, a phone such as +5511987654321, or a CPF or CNPJ without punctuation; found "${value.key}".${meantText(value.key)}`,
      });
    if ("accountId" in value && !known.includes(value.accountId.toLowerCase()))
      found.push({
        path: [...at, "accountId"],
        message: `There is no account "${value.accountId}". ${known.length === 0 ? "No account of these fixtures has an id: give the account an id." : suggestion(value.accountId, known)}`,
      });
    if ("owner" in value) found.push(...documentMistake(value.owner.document, [...at, "owner"]));
    const code =
      "settlement" in value ? /^ERROR:(.*)$/.exec(value.settlement?.outcome ?? "")?.[1] : undefined;
    if (code !== undefined && !failureCodes.some((one) => one === code))
      found.push({
        path: [...at, "settlement", "outcome"],
        message: `There is no failure code "${code}". ${suggestion(code, failureCodes, { all: "docs/running.md" })}`,
      });
    return found;
  });
}

function payerMistakes({ "known-payers": payers }: Entries): FixtureMistake[] {
  const decided = Array.from(steps.values()).filter(({ step }) => step.person !== undefined);
  const names = decided.map(({ step }) => step.name);
  return own(payers).flatMap(({ value, path }) => {
    const at = ["known-payers", ...path];
    const found: FixtureMistake[] = [];
    if (!isCpf(value.id) && !isCnpj(value.id))
      found.push({
        path: [...at, "id"],
        message: `must be a CPF or CNPJ with right check digits; found "${value.id}".`,
      });
    if (magicPayers.some(({ id }) => id === value.id))
      found.push({
        path: [...at, "id"],
        message: `The document ${value.id} decides in every world already. Choose another one.`,
      });
    for (const [name, outcomes] of Object.entries(value.outcomes)) {
      const step = decided.find((one) => one.step.name === name)?.step;
      if (step === undefined) {
        const message = `There is no decision "${name}" of a payer. ${suggestion(name, names, { all: "GET /sandbox/plans" })}`;
        found.push({ path: [...at, "outcomes", name], message });
        continue;
      }
      const known: readonly string[] = step.outcomes;
      for (const outcome of [outcomes].flat().filter((one) => !known.includes(one)))
        found.push({
          path: [...at, "outcomes", name],
          message: `"${outcome}" is no outcome of ${name}. It can be ${listed(known)}.`,
        });
    }
    return found;
  });
}

function bankMistakes({ "deposit-banks": banks }: Entries): FixtureMistake[] {
  const preset = banks.filter(({ value }) => value.default);
  if (preset.length === 1 || own(banks).length === 0) return [];
  const found =
    preset.length === 0
      ? "none"
      : listed(
          preset.map(({ value }) => value.slug),
          "and",
        );
  const message = `Exactly one bank must have default: true; found ${found}.`;
  const index = preset.findLast((one) => one.index !== undefined)?.index;
  return [{ path: index === undefined ? ["deposit-banks"] : ["deposit-banks", index, "default"], message }];
}
