import * as fc from "fast-check";
import { expect, test } from "vitest";
import { inventCpf, isCnpj, isCpf } from "../../../../src/simulator/countries/brazil/documents.ts";
import { chanceFrom, seededChance } from "../../../../src/simulator/engine/random.ts";

test.each(["11144477735", "12345678909"])("%s is a CPF", (text) => {
  expect(isCpf(text)).toBe(true);
});

test.each(["11111111111", "11144477736", "11144477745", "111.444.777-35", "1114447773", "", "1114447773O"])(
  "%j is not a CPF",
  (text) => {
    expect(isCpf(text)).toBe(false);
  },
);

test.each([
  "00000000000191",
  "60746948000112",
  "60701190000104",
  "90400888000142",
  "18236120000158",
  "12ABC34501DE35",
  "11222333000181",
  "AB1C2D3E000130",
  "ZZ9X8Y7W000174",
  "1A2B3C4D000179",
  "ab1c2d3e000130",
])("%s is a CNPJ", (text) => {
  expect(isCnpj(text)).toBe(true);
});

test.each([
  "00000000000000",
  "12ABC34501DE36",
  "12.ABC.345/01DE-35",
  "AB1C2D3E0001A0",
  "1122233300018",
  "Ç1222333000181",
])("%j is not a CNPJ", (text) => {
  expect(isCnpj(text)).toBe(false);
});

test("every invented CPF is valid", () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const chance = seededChance(seed, "documents");
      expect(isCpf(inventCpf(chance))).toBe(true);
    }),
  );
});

test("a CPF invented out of equal digits is valid too", () => {
  for (let digit = 0; digit < 10; digit++) {
    const constant = chanceFrom(() => Math.floor((2 ** 32 * (digit + 0.5)) / 10));
    expect(isCpf(inventCpf(constant))).toBe(true);
  }
});

test("one wrong digit makes a CPF invalid", () => {
  fc.assert(
    fc.property(fc.integer(), fc.nat(10), fc.integer({ min: 1, max: 9 }), (seed, place, by) => {
      const cpf = inventCpf(seededChance(seed, "documents"));
      const wrong = (Number(cpf[place]) + by) % 10;
      // The remainders 0 and 1 both give the digit 0, so sometimes another digit of the base gives a valid CPF.
      fc.pre(place >= 9 || !cpf.slice(9).includes("0"));
      expect(isCpf(cpf.slice(0, place) + wrong + cpf.slice(place + 1))).toBe(false);
    }),
  );
});
