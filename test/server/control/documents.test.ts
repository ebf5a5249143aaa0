import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { beforeAll, expect, test } from "vitest";
import { controlDocument } from "../../../src/server/control/openapi.ts";
import { describedEndpoints } from "../../../src/library/app.ts";
import { effectNames, effectOf } from "../../../src/simulator/platform/faults/effects.ts";
import { steps } from "../../../src/simulator/platform/catalog.ts";
import { type Partner, openPartner } from "../../partner.ts";

/** The document of the sandbox's own API accepts and refuses what its server does. */
const document = controlDocument(describedEndpoints());
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema({ $id: "document", ...document });

type Body = Readonly<Record<string, unknown>>;
interface ObjectSchema {
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
}
interface FieldSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
}

const schemas = (document["components"] as { readonly schemas: Readonly<Record<string, ObjectSchema>> })
  .schemas;

const checks = new Map<string, ValidateFunction>();

function accepts(shape: string, body: unknown): boolean {
  const check = checks.get(shape) ?? ajv.compile({ $ref: `document#/components/schemas/${shape}` });
  checks.set(shape, check);
  return check(body);
}

/** A value that the schema of a field accepts. */
function valueOf(field: FieldSchema): unknown {
  return (
    field.enum?.[0] ??
    field.examples?.[0] ??
    field.examples?.[0] ??
    (field.type === "boolean" ? true : field.minimum)
  );
}

/** The schema of the fault with that effect. */
function faultOf(effect: string): ObjectSchema {
  const found = Object.values(schemas).find(
    (schema) => "on" in (schema.properties ?? {}) && schema.properties["effect"]?.enum?.[0] === effect,
  );
  return found ?? { properties: {} };
}

let partner: Partner;
beforeAll(async () => {
  partner = await openPartner();
  return () => partner[Symbol.asyncDispose]();
});

async function isTaken(path: string, body: unknown, method = "POST"): Promise<boolean> {
  const { status } = await partner.ask(method, path, { body, token: null });
  expect([200, 201, 400]).toContain(status);
  return status < 300;
}

test.each(effectNames())("a fault of the effect %s is armed as the document describes it", async (effect) => {
  const { properties, required = [] } = faultOf(effect);
  const minimal = Object.fromEntries(required.map((name) => [name, valueOf(properties[name] ?? {})]));
  const full = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, valueOf(field)]));
  const wrong: Body[] = [
    { ...minimal, unknown: 1 },
    ...required.map((name) => ({ ...minimal, [name]: undefined })),
    ...Object.keys(properties).map((name) => ({ ...minimal, [name]: { wrong: true } })),
    ...Object.entries(properties).flatMap(([name, { minimum, maximum }]) => [
      ...(minimum === undefined ? [] : [{ ...minimal, [name]: minimum - 1 }]),
      ...(maximum === undefined ? [] : [{ ...minimal, [name]: maximum + 1 }]),
    ]),
    ...["event", "operation", "object", "objectNumber", "nth", "attempt", "between", "probability", "times"]
      .filter((selector) => !Object.hasOwn(properties, selector))
      .map((selector) => ({ ...minimal, [selector]: 1 })),
    { ...minimal, on: effectOf(effect).on === "api" ? "webhook" : "api" },
  ].map((body) => JSON.parse(JSON.stringify(body)) as Body);
  for (const body of [minimal, full, ...wrong])
    expect([body, accepts("FaultRequest", body)]).toEqual([body, await isTaken("/sandbox/faults", body)]);
  expect(accepts("FaultRequest", minimal)).toBe(true);
  expect(accepts("FaultRequest", full)).toBe(true);
  await partner.ask("DELETE", "/sandbox/faults");
});

test("a plan takes the outcomes of its step alone", async () => {
  const all = new Set(Array.from(steps.values(), ({ step }) => step.outcomes).flat());
  for (const [plan, { step }] of steps) {
    const foreign = [...all].find((outcome) => !step.outcomes.includes(outcome));
    for (const outcomes of [...step.outcomes.map((outcome) => [outcome]), [foreign], []]) {
      const body = { plan, outcomes };
      expect([body, accepts("PlanRequest", body)]).toEqual([body, await isTaken("/sandbox/plans", body)]);
    }
  }
  expect([accepts("PlanRequest", { plan: "moon", outcomes: ["ERROR"] }), accepts("PlanRequest", {})]).toEqual(
    [false, false],
  );
});

test("each assumption has its type, and its default can be set", async () => {
  const { properties } = schemas["AssumptionValues"] as ObjectSchema;
  expect(Object.keys(properties).length).toBeGreaterThan(80);
  for (const [id, field] of Object.entries(properties)) {
    for (const value of [field.examples?.[0], ...(field.enum ?? []), { wrong: 1 }, null]) {
      const body = { assumptions: { [id]: value } };
      const isSet = await isTaken("/sandbox/settings", body, "PATCH");
      expect([body, accepts("SettingsRequest", body)]).toEqual([body, isSet]);
      await isTaken("/sandbox/settings", { assumptions: { [id]: field.examples?.[0] } }, "PATCH");
    }
  }
  for (const shape of ["SettingsRequest", "WorldRequest"])
    expect([shape, accepts(shape, { assumptions: { moon: 1 } })]).toEqual([shape, false]);
});

test("an advance takes exactly one of by, to and until", async () => {
  const one = { by: "PT1S", to: "2026-11-22T09:00:00-03:00", until: "next" };
  const bodies = [{}, { by: one.by }, { to: one.to }, { until: one.until }, { by: one.by, to: one.to }, one];
  for (const body of [...bodies, { until: "idle", wait: false }, { until: "idle", wait: true }])
    expect([body, accepts("AdvanceRequest", body)]).toEqual([
      body,
      await isTaken("/sandbox/clock/advance", body),
    ]);
  expect([accepts("ClockRequest", {}), await isTaken("/sandbox/clock", {}, "PUT")]).toEqual([false, false]);
});

test("a body is required if an empty one is refused", async () => {
  const paths = document["paths"] as Readonly<
    Record<string, Readonly<Record<string, { requestBody?: { required: boolean } }>>>
  >;
  const required = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { requestBody }]) =>
      requestBody?.required === true ? [`${method.toUpperCase()} ${path}`] : [],
    ),
  );
  expect(required).toEqual([
    "PUT /sandbox/clock",
    "POST /sandbox/clock/advance",
    "POST /sandbox/clock/followers",
    "POST /sandbox/clock/followers/{id}/turns/{turn}",
    "POST /sandbox/plans",
    "POST /sandbox/faults",
    "POST /sandbox/listener/results",
    "POST /sandbox/scenarios",
  ]);
});

test("a plus in a query that is not encoded is named", async () => {
  const { body } = await partner.ask("GET", "/sandbox/deliveries?attempts=2+");
  expect(body).toMatchObject({
    details: [{ field: "attempts", description: expect.stringMatching(/Write \+ as %2B\.$/) as string }],
  });
  const { status } = await partner.ask("GET", "/sandbox/deliveries?attempts=2%2B");
  expect(status).toBe(200);
});

/** Returns the places of the fields with this name inside of examples. */
function placesInExamples(part: unknown, name: string, place = "", isExample = false): string[] {
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => {
    const here = `${place}/${key}`;
    const inside = isExample || ((key === "value" || key === "examples") && place.includes("example"));
    return [...(isExample && key === name ? [here] : []), ...placesInExamples(value, name, here, inside)];
  });
}

test("the examples of the assumptions have no field `default`, which linters take for a schema's default", () => {
  const paths = document["paths"] as Readonly<Record<string, unknown>>;
  expect(paths["/sandbox/assumptions"]).toBeDefined();
  expect(placesInExamples(paths["/sandbox/assumptions"], "default")).toEqual([]);
});
