import { expect, test } from "vitest";
import {
  institutionByCompe,
  institutionByIspb,
  institutions,
  platformInstitution,
} from "../../../../src/simulator/countries/brazil/institutions.ts";

test("an institution is found by its ISPB and by its clearing number", () => {
  expect(institutionByIspb("00000208")).toEqual({ compe: "070", ispb: "00000208", name: "BRB" });
  expect(institutionByCompe("001")?.ispb).toBe("00000000");
  expect(institutionByIspb("208")).toBeUndefined();
  expect(institutionByCompe("655")).toEqual({ compe: "655", ispb: "59588111", name: "Votorantim" });
  expect(institutionByCompe("999")).toBeUndefined();
});

test("the platform's own institution is found by its ISPB and is not a real one", () => {
  expect(institutionByIspb("99999004")).toBe(platformInstitution);
  expect(institutions).not.toContain(platformInstitution);
});

test("no two institutions share a number", () => {
  expect(institutions).toHaveLength(22);
  expect(new Set(institutions.map(({ ispb }) => ispb)).size).toBe(22);
  expect(new Set(institutions.map(({ compe }) => compe)).size).toBe(22);
  for (const { ispb, compe } of institutions) expect([ispb, compe].join()).toMatch(/^\d{8},\d{3}$/);
});
