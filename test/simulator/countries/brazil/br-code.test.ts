import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  asciiUpper,
  type BrCode,
  decodeBrCode,
  dynamicBrCode,
  recurrenceBrCode,
  staticBrCode,
} from "../../../../src/simulator/countries/brazil/br-code.ts";
import { crc16 } from "../../../../src/simulator/countries/brazil/emv.ts";
import { Bug } from "../../../../src/simulator/engine/assertion.ts";

const shop = { merchantName: "LOJA EXEMPLO LTDA", city: "SAO PAULO" };
const fulano = { merchantName: "Fulano de Tal", city: "BRASILIA" };
const charge = "pix.example.com/qr/v2/cob/8b3da2f39a4140d1a91abd93113bd441";
const randomKey = "123e4567-e89b-12d3-a456-426655440000";

interface Vector {
  readonly text: string;
  readonly written: () => string;
  readonly read: BrCode;
}

const vectors: Readonly<Record<string, Vector>> = {
  "a static code with an open amount": {
    text: "00020126580014br.gov.bcb.pix0136123e4567-e89b-12d3-a456-4266554400005204000053039865802BR5917LOJA EXEMPLO LTDA6009SAO PAULO62140510PEDIDO00016304890F",
    written: () => staticBrCode({ key: randomKey, txid: "PEDIDO0001", ...shop }),
    read: { kind: "static", key: randomKey, txid: "PEDIDO0001", ...shop },
  },
  "a static code with amount and description": {
    text: "00020126490014br.gov.bcb.pix0115pix@example.com0208Pedido 1520400005303986540510.505802BR5917LOJA EXEMPLO LTDA6009SAO PAULO62070503***63043B2C",
    written: () =>
      staticBrCode({ key: "pix@example.com", amountMinor: 1050, description: "Pedido 1", ...shop }),
    read: { kind: "static", key: "pix@example.com", amountMinor: 1050, description: "Pedido 1", ...shop },
  },
  "the static code of the central bank's manual": {
    text: "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D",
    written: () => staticBrCode({ key: "123e4567-e12b-12d1-a456-426655440000", ...fulano }),
    read: { kind: "static", key: "123e4567-e12b-12d1-a456-426655440000", ...fulano },
  },
  "a dynamic code": {
    text: "00020101021226800014br.gov.bcb.pix2558pix.example.com/qr/v2/cob/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5917LOJA EXEMPLO LTDA6009SAO PAULO62070503***6304D509",
    written: () => dynamicBrCode({ location: charge, ...shop }),
    read: { kind: "dynamic", location: charge, ...shop },
  },
  "a journey 2 code": {
    text: "00020126180014br.gov.bcb.pix5204000053039865802BR5917LOJA EXEMPLO LTDA6009SAO PAULO62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac1200026304B0BC",
    written: () =>
      recurrenceBrCode({
        recurrenceLocation: "pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002",
        ...shop,
      }),
    read: {
      kind: "recurrence",
      recurrenceLocation: "pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002",
      ...shop,
    },
  },
  "a journey 3 code": {
    text: "00020101021226800014br.gov.bcb.pix2558pix.example.com/qr/v2/cob/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5917LOJA EXEMPLO LTDA6009SAO PAULO62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa35319489063044F65",
    written: () =>
      recurrenceBrCode({
        recurrenceLocation: "pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa353194890",
        chargeLocation: charge,
        ...shop,
      }),
    read: {
      kind: "dynamic",
      location: charge,
      recurrenceLocation: "pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa353194890",
      ...shop,
    },
  },
  "the journey 2 code of the central bank's interface": {
    text: "00020126180014br.gov.bcb.pix5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002630462C9",
    written: () =>
      recurrenceBrCode({
        recurrenceLocation: "pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002",
        ...fulano,
      }),
    read: {
      kind: "recurrence",
      recurrenceLocation: "pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002",
      ...fulano,
    },
  },
  "the journey 3 code of the central bank's interface": {
    text: "00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa35319489063047741",
    written: () =>
      recurrenceBrCode({
        recurrenceLocation: "pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa353194890",
        chargeLocation: "pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441",
        ...fulano,
      }),
    read: {
      kind: "dynamic",
      location: "pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441",
      recurrenceLocation: "pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa353194890",
      ...fulano,
    },
  },
  "a journey 3 code as another issuer writes it": {
    text: "00020101021226870014br.gov.bcb.pix2565qr-h.woovi.digital/qr/v2/cob/43da9720-fdfe-4a0a-87f4-6e8ef3881a325204000053039865802BR5911Pedro Woovi6007VITORIA62070503***80870014br.gov.bcb.pix2565qr-h.woovi.digital/qr/v2/rec/35c05584-4d71-410e-a815-7fb379328c466304E44D",
    written: () =>
      recurrenceBrCode({
        recurrenceLocation: "qr-h.woovi.digital/qr/v2/rec/35c05584-4d71-410e-a815-7fb379328c46",
        chargeLocation: "qr-h.woovi.digital/qr/v2/cob/43da9720-fdfe-4a0a-87f4-6e8ef3881a32",
        merchantName: "Pedro Woovi",
        city: "VITORIA",
      }),
    read: {
      kind: "dynamic",
      location: "qr-h.woovi.digital/qr/v2/cob/43da9720-fdfe-4a0a-87f4-6e8ef3881a32",
      recurrenceLocation: "qr-h.woovi.digital/qr/v2/rec/35c05584-4d71-410e-a815-7fb379328c46",
      merchantName: "Pedro Woovi",
      city: "VITORIA",
    },
  },
};

test.each(Object.entries(vectors))("%s is written byte for byte", (_name, { text, written }) => {
  expect(written()).toBe(text);
});

test.each(Object.entries(vectors))("%s is read in full", (_name, { text, read }) => {
  expect(decodeBrCode(text)).toEqual(read);
});

const name = (maxLength: number) =>
  fc
    .string({ maxLength: 40 })
    .map((text) => asciiUpper(text, maxLength))
    .filter((text) => text !== "");
const location = fc.stringMatching(/^[a-z0-9.]{3,30}\/[a-z0-9/]{1,40}$/);
const alphanumeric = fc.stringMatching(/^[a-zA-Z0-9]{1,25}$/);
const merchant = { merchantName: name(25), city: name(15) };

test("a static code is read back as it was written", () => {
  const charges = fc.record(
    {
      key: fc.constantFrom(randomKey, "ok@pix.example", "+5511987654321", "11144477735"),
      amountMinor: fc.integer({ min: 1, max: 999_999_999_999 }),
      txid: alphanumeric,
      description: fc.stringMatching(/^[ -~]{1,37}$/),
      ...merchant,
    },
    { requiredKeys: ["key", "merchantName", "city"] },
  );
  fc.assert(
    fc.property(charges, (written) => {
      expect(decodeBrCode(staticBrCode(written))).toEqual({ kind: "static", ...written });
    }),
  );
});

test("a dynamic code is read back as it was written", () => {
  const charges = fc.record(
    { location, amountMinor: fc.integer({ min: 1, max: 999_999_999_999 }), ...merchant },
    { requiredKeys: ["location", "merchantName", "city"] },
  );
  fc.assert(
    fc.property(charges, (written) => {
      expect(decodeBrCode(dynamicBrCode(written))).toEqual({ kind: "dynamic", ...written });
    }),
  );
});

test("any one character changed makes a code unreadable", () => {
  const texts = fc.constantFrom(...Object.values(vectors).map(({ text }) => text));
  fc.assert(
    fc.property(texts, fc.nat(), fc.integer({ min: 0x20, max: 0x7e }), (text, at, code) => {
      const place = at % text.length;
      const other = String.fromCharCode(code);
      fc.pre(text[place] !== other);
      const changed = text.slice(0, place) + other + text.slice(place + 1);
      expect(decodeBrCode(changed).kind).toBe("unreadable");
    }),
    { numRuns: 2000 },
  );
});

test("a shortened code is unreadable, and no text makes the reader throw", () => {
  for (const { text } of Object.values(vectors)) {
    for (let length = 0; length < text.length; length++) {
      expect(decodeBrCode(text.slice(0, length)).kind).toBe("unreadable");
    }
  }
  fc.assert(
    fc.property(fc.string({ maxLength: 600 }), (text) => {
      expect(decodeBrCode(text).kind).toBe("unreadable");
    }),
  );
});

/** A code with a right checksum, after any text. */
const sealed = (body: string): string => `${body}6304${crc16(`${body}6304`)}`;
const tail = "5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***";

test.each([
  ["", "it does not begin with 000201"],
  ["hello", "the code has no field id and length at character 1"],
  ["00020126580014br.gov", "field 26 of the code announces 58 characters and 10 are left"],
  [sealed("000201000201"), "field 00 of the code comes twice"],
  [sealed("0002012600"), "field 26 of the code is empty"],
  ["0002015802BR", "it does not end with its checksum (field 63)"],
  [sealed(`000201${tail}`), "it is not a PIX code: no field 26 to 51 names br.gov.bcb.pix"],
  [sealed(`00020126120008card.com${tail}`), "it is not a PIX code: no field 26 to 51 names br.gov.bcb.pix"],
  [
    sealed(`00020126180014br.gov.bcb.pix${tail}`),
    "it carries neither a PIX key nor the location of a charge or recurrence",
  ],
  [sealed(`00020126260014br.gov.bcb.pix0104nope${tail}`), "nope is not a PIX key"],
  [
    sealed(`00020126180014br.gov.bcb.pix${tail.replace("5303986", "5303840")}`),
    "field 53 is not 986, the Brazilian real",
  ],
  [sealed(`00020126180014br.gov.bcb.pix${tail.replace("6008BRASILIA", "")}`), "field 60 is missing"],
  [
    sealed(`00020126330014br.gov.bcb.pix0111111444777355401x${tail}`),
    "field 54 is x, which is not an amount",
  ],
  [
    sealed(`00020126330014br.gov.bcb.pix011111144477735${tail}`).replace(/.{4}$/, "0000"),
    expect.stringMatching(/^its checksum is 0000 and its text gives [0-9A-F]{4}$/),
  ],
  ["0".repeat(513), "it is longer than 512 characters"],
])("%j is unreadable with its reason", (text, reason) => {
  expect(decodeBrCode(text)).toEqual({ kind: "unreadable", reason });
});

test("the name of the arrangement is read in capitals, and next to another arrangement", () => {
  const capitals = sealed(`00020126330014BR.GOV.BCB.PIX011111144477735${tail}`);
  expect(decodeBrCode(capitals)).toEqual({ kind: "static", key: "11144477735", ...fulano });
  const both = sealed(`00020126120008card.com27330014br.gov.bcb.pix011111144477735${tail}`);
  expect(decodeBrCode(both)).toEqual({ kind: "static", key: "11144477735", ...fulano });
});

test("an amount of zero leaves the amount to the payer", () => {
  const open = sealed(`00020126330014br.gov.bcb.pix01111114447773554040.00${tail}`);
  expect(decodeBrCode(open)).toEqual({ kind: "static", key: "11144477735", ...fulano });
});

test("a code that would break a limit of the format is a bug", () => {
  const long = "a".repeat(78);
  expect(() => dynamicBrCode({ location: long, ...shop })).toThrow(Bug);
  expect(() => dynamicBrCode({ location: `https://${charge}`.slice(0, 77), ...shop })).toThrow(Bug);
  expect(() => dynamicBrCode({ location: charge, ...shop, merchantName: "a".repeat(26) })).toThrow(Bug);
  expect(() => dynamicBrCode({ location: charge, ...shop, city: "São Paulo" })).toThrow(Bug);
  expect(() => staticBrCode({ key: "nope", ...shop })).toThrow(Bug);
  expect(() => staticBrCode({ key: randomKey, txid: "a b", ...shop })).toThrow(Bug);
  expect(() => staticBrCode({ key: randomKey, description: "a".repeat(38), ...shop })).toThrow(Bug);
  expect(() => staticBrCode({ key: randomKey, amountMinor: 0, ...shop })).toThrow(Bug);
});

test.each([
  ["Açaí & Pão de Ló Comércio Ltda", 25, "ACAI & PAO DE LO COMERCIO"],
  ["São  Paulo", 15, "SAO PAULO"],
  ["Ação – São José", 9, "ACAO SAO"],
  ["日本", 25, ""],
])("%j in %i capital ASCII characters is %j", (text, maxLength, upper) => {
  expect(asciiUpper(text, maxLength)).toBe(upper);
});
