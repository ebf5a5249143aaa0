import { expect, test } from "vitest";
import { formatAddress, parseAddress } from "../../../src/pages/dashboard/page/address.js";
import fc from "fast-check";

test.each([
  ["", { view: "overview", id: undefined, query: {} }],
  ["#/", { view: "overview", id: undefined, query: {} }],
  ["#/orders", { view: "orders", id: undefined, query: {} }],
  ["#/orders/abc?q=shop", { view: "orders", id: "abc", query: { q: "shop" } }],
  ["#/deliveries?event=ORDER-*", { view: "deliveries", id: undefined, query: { event: "ORDER-*" } }],
  ["#/orders/%", { view: "orders", id: "%", query: {} }],
])("the address %j is parsed", (hash, address) => {
  expect(parseAddress(hash)).toEqual(address);
});

test("an address is parsed as it was formatted", () => {
  const text = fc.string({ minLength: 1, unit: "grapheme" });
  const name = fc.stringMatching(/^[a-z]{1,8}$/);
  fc.assert(
    fc.property(name, fc.option(text, { nil: undefined }), fc.dictionary(name, text), (view, id, query) => {
      expect(parseAddress(formatAddress({ view, id, query }))).toEqual({ view, id, query: { ...query } });
    }),
  );
});

test("empty filters are left out of the address", () => {
  expect(formatAddress({ view: "orders", query: { q: "", status: "" } })).toBe("#/orders");
});
