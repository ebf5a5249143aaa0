import { cardCheckSum } from "../../../src/simulator/platform/orders/card-number.ts";
import { isClabe } from "../../../src/simulator/countries/mexico/clabe.ts";
import { isCnpj } from "../../../src/simulator/countries/brazil/documents.ts";
import * as fc from "fast-check";

/** Numbers of the brands, with their check digit; the last digits before it are not those of a masked number. */
export const cardNumbers = fc
  .constantFrom(
    ["4", 13],
    ["4", 16],
    ["4", 19],
    ["51", 16],
    ["2221", 16],
    ["37", 15],
    ["36", 14],
    ["6011", 16],
    ["62", 18],
    ["50", 17],
  )
  .chain(([prefix, length]) =>
    fc
      .string({
        unit: fc.constantFrom(...Array.from("123456789")),
        minLength: length - prefix.length - 1,
        maxLength: length - prefix.length - 1,
      })
      .map((rest) => {
        const base = `${prefix}${rest}`;
        return base + ((10 - cardCheckSum(`${base}0`)) % 10);
      }),
  )
  .filter((number) => !isCnpj(number) && !isClabe(number));
