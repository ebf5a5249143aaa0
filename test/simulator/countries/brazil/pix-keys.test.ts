import { expect, test } from "vitest";
import {
  meantPixKey,
  normalizePixKey,
  pixKeyType,
} from "../../../../src/simulator/countries/brazil/pix-keys.ts";

test.each([
  ["123e4567-e89b-12d3-a456-426655440000", "RANDOM"],
  ["ok@pix.example", "EMAIL"],
  ["+5511987654321", "PHONE"],
  ["11144477735", "CPF"],
  ["11222333000181", "CNPJ"],
  ["12ABC34501DE35", "CNPJ"],
])("%s is a key of type %s", (key, type) => {
  expect(pixKeyType(key)).toBe(type);
});

test.each([
  "",
  "11987654321",
  "5511987654321",
  "+05511987654321",
  "+55",
  "OK@pix.example",
  "ok@",
  "ok@pix..example",
  "two@at@pix.example",
  "123E4567-E89B-12D3-A456-426655440000",
  "123e4567e89b12d3a456426655440000",
  "111.444.777-35",
  "12abc34501de35",
  `${"a".repeat(66)}@pix.example`,
])("%j is not a key", (key) => {
  expect(pixKeyType(key)).toBeUndefined();
});

test("an e-mail of 77 characters is still a key", () => {
  expect(pixKeyType(`${"a".repeat(65)}@pix.example`)).toBe("EMAIL");
});

test.each([
  [" OK@Pix.Example ", "ok@pix.example"],
  ["123E4567-E89B-12D3-A456-426655440000", "123e4567-e89b-12d3-a456-426655440000"],
  ["111.444.777-35", "11144477735"],
  ["12.abc.345/01de-35", "12ABC34501DE35"],
  ["+55 (11) 98765-4321", "+5511987654321"],
])("%j is normalized to %s", (typed, key) => {
  expect(normalizePixKey(typed)).toBe(key);
});

test.each([
  ["11987654321", "+5511987654321"],
  ["(11) 98765-4321", "+5511987654321"],
  ["11 3456-7890", "+551134567890"],
  ["5511987654321", "+5511987654321"],
  [" OK@Pix.Example ", "ok@pix.example"],
  ["nothing", undefined],
  ["00987654321", undefined],
])("a refused key %j probably means %s", (typed, key) => {
  expect(meantPixKey(typed)).toBe(key);
});

test("text that is not a key is not normalized into one", () => {
  expect(normalizePixKey("nothing")).toBeUndefined();
  expect(normalizePixKey("11987654321")).toBeUndefined();
});
