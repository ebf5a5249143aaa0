import type { ShapeName } from "../../../src/simulator/api/generated/shapes.ts";
import { expect, test } from "vitest";
import addFormats from "ajv-formats";
import { Ajv2020 } from "ajv/dist/2020.js";
import { assumptions } from "../../../src/simulator/platform/catalog.ts";
import { events } from "../../../src/simulator/api/events.ts";
import { platformDocument } from "../../../src/simulator/api/openapi.ts";
import { errorStatuses, operations } from "../../../src/simulator/api/operations.ts";
import { definition, definitions } from "../../../src/simulator/api/schemas.ts";
import { bodyProblems, shapeProblems } from "../../../src/simulator/api/validation.ts";

interface Body {
  readonly schema: { readonly $ref?: string; readonly oneOf?: readonly { readonly $ref: string }[] };
  readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
}

const document = platformDocument();

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
  for (const [path, { schema, example }] of parameters) {
    expect([path, documentErrors(schema as object, example)]).toEqual([path, []]);
  }
});

test("every mark of an assumption names an existing one", () => {
  const marks = [...objects(document)].flatMap(([path, { "x-assumption": id }]) =>
    typeof id === "string" && !path.endsWith("/properties") ? [id] : [],
  );
  expect(marks.length).toBeGreaterThan(200);
  expect([...new Set(marks)].filter((id) => !Object.hasOwn(assumptions, id))).toEqual([]);
});

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema({ $id: "document", ...document });

/** What is wrong with a value by a schema of the document. */
function documentErrors(schema: object, value: unknown): string[] {
  const placed = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
  return ajv.validate(placed, value) ? [] : (ajv.errors ?? []).map(({ message }) => String(message));
}

test("every example inside a schema is valid by that schema", () => {
  const exemplified = [...objects(document["components"])].filter(([, { examples }]) =>
    Array.isArray(examples),
  );
  expect(exemplified.length).toBeGreaterThan(300);
  const wrong = exemplified.flatMap(([path, { examples, ...schema }]) => {
    return (examples as unknown[])
      .filter((example) => documentErrors(schema, example).length > 0)
      .map((example) => [path, example]);
  });
  expect(wrong).toEqual([]);
});

test("every example of a body is valid by its shape", () => {
  const bodies = [...objects(document)].filter(([path]) =>
    /\/content\/application~?[^/]*\/[^/]+$/.test(path),
  );
  expect(bodies.length).toBeGreaterThan(150);
  for (const [path, found] of bodies) {
    const { schema, examples } = found as unknown as Body;
    const $ref = schema.$ref ?? "";
    for (const [name, { value }] of Object.entries(examples)) {
      const shape = definitions().has(name) ? name : $ref.slice($ref.lastIndexOf("/") + 1);
      expect([path, name, shapeProblems(shape as ShapeName, value)]).toEqual([path, name, []]);
      expect([path, name, documentErrors(schema, value)]).toEqual([path, name, []]);
    }
  }
});

test("every operation is described with all its statuses", () => {
  for (const operation of Object.values(operations)) {
    const described = resolve(
      `#/paths/${operation.path.replaceAll("/", "~1")}/${operation.method.toLowerCase()}`,
    ) as { readonly operationId: string; readonly responses: object };
    expect(described.operationId).toBe(operation.operationId);
    const own = [operation.successStatus, ...operation.errors.map((code) => errorStatuses[code])];
    expect(Object.keys(described.responses).toSorted()).toEqual(
      [...own.map(String), "408", "417", "431", "503", "default"].toSorted(),
    );
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

test("each event's schema accepts the event's own examples and no other event's", () => {
  const bodies = Object.entries(document["webhooks"] as Record<string, Webhook>).map(([name, { post }]) => ({
    name,
    ...post.requestBody.content["application/json"],
  }));
  expect(bodies).toHaveLength(Object.keys(events).length);
  for (const { name, schema } of bodies) {
    const accepted = bodies.filter(({ examples }) =>
      Object.values(examples).some(({ value }) => documentErrors(schema, value).length === 0),
    );
    expect(accepted.map((body) => body.name)).toEqual([name]);
    expect(resolve(`${schema.$ref}/properties/event/const`)).toBe(name);
  }
});

interface Webhook {
  readonly post: { readonly requestBody: { readonly content: { readonly "application/json": Body } } };
}

test("no schema has what generators of clients drop: keywords of a type next to a reference or to allOf", () => {
  const lossy = [...objects(document["components"])].filter(([path, found]) => {
    if (path.includes("/dependentSchemas/") || path.endsWith("/properties")) return false;
    if ("$ref" in found) return "type" in found || "properties" in found || "required" in found;
    return "allOf" in found && ("properties" in found || "type" in found);
  });
  expect(lossy.map(([path]) => path)).toEqual([]);
});

test("no property of a request has a default, which generators would make a required property", () => {
  const filled = [...objects(document["components"])].filter(
    ([path, found]) => /\/properties\/\w+$/.test(path) && typeof found["default"] !== "undefined",
  );
  expect(filled.map(([path]) => path)).toEqual([]);
});

test("every alternative of a value has a type", () => {
  const untyped = [...objects(document)].filter(
    ([path, found]) =>
      /\/(?:anyOf|oneOf)\/\d+$/.test(path) && !("type" in found || "$ref" in found || "required" in found),
  );
  expect(untyped.map(([path]) => path)).toEqual([]);
  expect(resolve("#/components/schemas/AmountValueInput/type")).toBeUndefined();
});

test.each(["issueToken", "createPayout", "createTransparentOrderV3", "createSubscription"] as const)(
  "the document accepts and refuses the same bodies of %s as the server",
  (operationId) => {
    const { request = "" } = operations[operationId];
    const schema = { $ref: `#/components/schemas/${request}` };
    const { examples = [], required = [] } = definition(request).schema;
    expect(examples.flatMap((example) => documentErrors(schema, example))).toEqual([]);
    for (const example of examples as Record<string, unknown>[]) {
      for (const name of Object.keys(example)) {
        const { [name]: _, ...rest } = example;
        const isRefused = bodyProblems(operationId, rest).length > 0;
        expect([name, documentErrors(schema, rest).length > 0]).toEqual([name, isRefused]);
      }
    }
    expect(required.length).toBeGreaterThan(0);
  },
);

test("what the platform API does not show is marked with its assumption", () => {
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
