import type { ControlRequest } from "./control.ts";
import { foundValue } from "../../api/found-value.ts";
import { refuse } from "./control.ts";

/** How many of a list's newest the query parameter `last` asks for; undefined asks for all. */
export function newestAsked({ last }: ControlRequest["query"]): number | undefined {
  return last === undefined ? undefined : wholeNumber("last", last);
}

/** The number that the text of a query parameter is; refuses what is none. */
export function wholeNumber(field: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    refuse(field, `${field} must be a whole number such as 100; found ${foundValue(text)}.`);
  }
  return Number(text);
}
