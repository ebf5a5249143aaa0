import { expect, test } from "vitest";
import addFormats from "ajv-formats";
import { Ajv2020 } from "ajv/dist/2020.js";
import { assumptions } from "../../src/platform/catalog.ts";
import { events } from "../../src/api/events.ts";
import { openApiDocument } from "../../src/api/openapi.ts";
import { operations, type ShapeName } from "../../src/api/operations.ts";
import { validateShape } from "../../src/api/validation.ts";

interface Body {
  readonly schema: { readonly $ref?: string; readonly oneOf?: readonly { readonly $ref: string }[] };
  readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
}

const document = openApiDocument();

/** Every object inside the document, with the way there. */
function* objects(value: unknown, path = "#"): Generator<[string, Readonly<Record<string, unknown>>]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Readonly<Record<string, unknown>>];
  for (const [key, inner] of Object.entries(value)) yield* objects(inner, `${path}/${key}`);
}

function resolve(pointer: string): unknown {
  let place: unknown = document;
  for (const token of pointer.split("/").slice(1)) {
    place = (place as Readonly<Record<string, unknown>> | undefined)?.[token.replaceAll("~1", "/")];
  }
  return place;
}

test("every reference of the document resolves inside it", () => {
  const references = [...objects(document)].flatMap(([, { $ref }]) =>
    typeof $ref === "string" ? [$ref] : [],
  );
  expect(references.length).toBeGreaterThan(100);
  expect(references.filter((reference) => resolve(reference) === undefined)).toEqual([]);
});

test("every request and every answer has an example, and every parameter", () => {
  const bare = [...objects(document)].filter(([path, found]) =>
    /\/content\/application~?[^/]*\/[^/]+$/.test(path)
      ? Object.keys((found as unknown as Body).examples).length === 0
      : "in" in found && "schema" in found && found["example"] === undefined,
  );
  expect(bare.map(([path]) => path)).toEqual([]);
});

test("every example of a parameter is valid by its schema", () => {
  const parameters = [...objects(document)].filter(([, found]) => "in" in found && "schema" in found);
  expect(parameters.length).toBeGreaterThan(30);
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  for (const [path, { schema, example }] of parameters) {
    const isRight = ajv.validate(inlined(schema), example);
    expect([path, isRight, ajv.errors]).toEqual([path, true, null]);
  }
});

test("every mark of an assumption names an existing one", () => {
  const marks = [...objects(document)].flatMap(([path, { "x-assumption": id }]) =>
    typeof id === "string" && !path.endsWith("/properties") ? [id] : [],
  );
  expect(marks.length).toBeGreaterThan(200);
  expect([...new Set(marks)].filter((id) => !Object.hasOwn(assumptions, id))).toEqual([]);
});

test("every example inside a schema is valid by that schema", () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "document", ...document });
  const exemplified = [...objects(document["components"])].filter(([, { examples }]) =>
    Array.isArray(examples),
  );
  expect(exemplified.length).toBeGreaterThan(300);
  const wrong = exemplified.flatMap(([path, { examples, ...schema }]) => {
    const placed = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
    return (examples as unknown[])
      .filter((example) => !ajv.validate(placed, example))
      .map((example) => [path, example]);
  });
  expect(wrong).toEqual([]);
});

/** The schema with what it refers to in its place. */
function inlined(schema: unknown): object {
  const { $ref, ...own } = schema as Readonly<Record<string, unknown>>;
  return typeof $ref === "string" ? { ...inlined(resolve($ref)), ...own } : own;
}

test("every example of a body is valid by its shape", () => {
  const bodies = [...objects(document)].filter(([path]) =>
    /\/content\/application~?[^/]*\/[^/]+$/.test(path),
  );
  expect(bodies.length).toBeGreaterThan(150);
  for (const [path, found] of bodies) {
    const { schema, examples } = found as unknown as Body;
    const shapes = schema.oneOf?.map(({ $ref }) => $ref) ?? [schema.$ref ?? ""];
    for (const [name, { value }] of Object.entries(examples)) {
      const reference = shapes.find((shape) => shape.endsWith(`/${name}`)) ?? shapes[0] ?? "";
      const shape = reference.slice(reference.lastIndexOf("/") + 1) as ShapeName;
      expect([path, name, validateShape(shape, value)]).toEqual([path, name, []]);
    }
  }
});

test("every operation is described with all its statuses", () => {
  for (const operation of Object.values(operations)) {
    const described = resolve(
      `#/paths/${operation.path.replaceAll("/", "~1")}/${operation.method.toLowerCase()}`,
    ) as { readonly operationId: string; readonly responses: object };
    expect(described.operationId).toBe(operation.operationId);
    expect(Object.keys(described.responses)).toHaveLength(operation.errors.length + 1);
  }
});

test("every event is a webhook with the signature header", () => {
  const webhooks = document["webhooks"] as Record<string, { post: { parameters: { name: string }[] } }>;
  expect(Object.keys(webhooks)).toEqual(Object.keys(events));
  for (const { post } of Object.values(webhooks)) {
    expect(post.parameters.map(({ name }) => name)).toEqual(["X-Signature-SHA256"]);
  }
});

test("an event's example has the name of the event", () => {
  const bodies = [...objects(document["webhooks"])].filter(([path]) =>
    /requestBody\/content\/[^/]+\/json$/.test(path),
  );
  expect(bodies).toHaveLength(Object.keys(events).length);
  for (const [path, found] of bodies) {
    for (const { value } of Object.values((found as unknown as Body).examples)) {
      expect(path).toContain(`/${(value as { event: string }).event}/`);
    }
  }
});

test("what the interface does not show is marked with its assumption", () => {
  expect(resolve("#/paths/~1oauth2~1v2.0~1token/post/x-assumption")).toBe("auth.token-endpoint");
  expect(resolve("#/paths/~1order~1v2~1refund/put/responses/403/x-assumption")).toBe(
    "auth.errors-everywhere",
  );
  expect(resolve("#/components/parameters/IdempotencyKeyOfOrder/x-assumption")).toBe(
    "order.message-id-header",
  );
  const resend = "#/paths/~1order~1v1~1banking~1accounts~1{accountId}~1keys~1claims~1resend/post";
  expect(resolve(`${resend}/responses/200/x-assumption`)).toBe("http.statuses-of-actions");
  expect(resolve("#/components/schemas/OrderStatus/x-assumption")).toBe("order.statuses");
  expect(resolve("#/paths/~1order~1v1~1banking~1subscriptions/post/x-assumption")).toBeUndefined();
});

test("the document contains no address of a schema file", () => {
  expect(JSON.stringify(document)).not.toContain(".schema.json");
});
