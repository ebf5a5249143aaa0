import * as fc from "fast-check";
import { expect, test } from "vitest";
import { crc16 } from "../../../../src/simulator/countries/brazil/emv.ts";

test("the check value of CRC-16/CCITT-FALSE is 29B1", () => {
  expect(crc16("123456789")).toBe("29B1");
});

test("the checksum of any text is that of its UTF-8 bytes, bit by bit", () => {
  const bitByBit = (text: string): string => {
    let crc = 0xffff;
    for (const byte of new TextEncoder().encode(text)) {
      crc ^= byte << 8;
      for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
    }
    return crc.toString(16).toUpperCase().padStart(4, "0");
  };
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "ç", "—", "日", "🏦", "\u07ff", "\u0800", "\uffff") }),
      (text) => {
        expect(crc16(text)).toBe(bitByBit(text));
      },
    ),
  );
});
