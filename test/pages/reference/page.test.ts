import { expect, test } from "vitest";
import { platformDocument } from "../../../src/simulator/api/openapi.ts";
import { openPartner } from "../../partner.ts";
import { readdirSync, readFileSync } from "node:fs";
import { markupMistakes, tags, textOf } from "./markup.ts";

type Json = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- an OpenAPI document

const FOLDER = "src/pages/reference/page";
const files = readdirSync(FOLDER).filter((name) => /\.(css|js)$/.test(name));
const documents = await bothDocuments();
const document = documents.interface;

async function bothDocuments(): Promise<{ interface: Json; own: Json }> {
  await using partner = await openPartner();
  const own = (await (await partner.sandbox.fetch("/sandbox/openapi.json")).json()) as Json;
  return { interface: platformDocument(), own };
}

const readPage = async (path = "/docs", init?: RequestInit): Promise<{ page: string; headers: Headers }> => {
  await using partner = await openPartner();
  const response = await partner.sandbox.fetch(path, init);
  expect(response.status).toBe(200);
  return { page: await response.text(), headers: response.headers };
};
const { page, headers } = await readPage();
const ids = tags(page).flatMap(({ attributes }) => attributes["id"] ?? []);

const schemas: Json = { ...documents.own["components"].schemas, ...document["components"].schemas };

/** The ways to every field of a schema, found by walking the document itself. */
function fieldPaths(schema: Json): string[] {
  if (schema["$ref"] !== undefined) {
    const name = String(schema["$ref"]).split("/").at(-1) ?? "";
    const { $ref: _, ...own } = schema;
    return [...fieldPaths(schemas[name]), ...fieldPaths(own)];
  }
  const parts = ((schema["allOf"] ?? []) as Json[]).flatMap(fieldPaths);
  const fields = Object.entries((schema["properties"] ?? {}) as Json).flatMap(([name, field]) => [
    name,
    ...fieldPaths(field as Json).map((path) => `${name}.${path}`),
  ]);
  return [...parts, ...fields, ...(schema["items"] === undefined ? [] : fieldPaths(schema["items"] as Json))];
}

const operations = Object.entries({ ...document["paths"], ...documents.own["paths"] } as Json).flatMap(
  ([path, item]) =>
    Object.entries(item as Json).map(([method, operation]): Json => ({
      path,
      method,
      ...(operation as Json),
    })),
);

test("no level of headings is skipped", () => {
  const levels = Array.from(page.matchAll(/<h([1-6])/g), ([, level]) => Number(level));
  const skips = levels.filter((level, index) => index > 0 && level > (levels[index - 1] ?? 0) + 1);
  expect(skips).toEqual([]);
});

test("the page of another world has its tokens, and links back to it", async () => {
  await using partner = await openPartner();
  await partner.ask("POST", "/sandbox/worlds", { body: {} });
  const text = await (await partner.sandbox.fetch("/docs?world=w1")).text();
  expect(text).toContain("<code>acme-token.w1</code>");
  expect(text).not.toContain("<code>acme-token</code>");
  const links = tags(text).flatMap(({ attributes }) => attributes["href"] ?? []);
  expect(links).toContain("/?world=w1");
  expect(links).not.toContain("/");
});

test("a client that accepts gzip gets the page in a quarter of its bytes", async () => {
  await using partner = await openPartner();
  const response = await partner.sandbox.fetch("/docs", { headers: { "accept-encoding": "gzip" } });
  expect(response.headers.get("content-encoding")).toBe("gzip");
  const { byteLength } = await response.arrayBuffer();
  expect(byteLength).toBeLessThan(page.length / 4);
});

test("the page has a policy that allows nothing from other origins", () => {
  const policy = headers.get("content-security-policy")?.split("; ") ?? [];
  expect(policy).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "frame-ancestors 'none'",
    ]),
  );
  expect(policy.join()).not.toContain("unsafe");
  expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("date")).toBe("Fri, 20 Nov 2026 12:00:00 GMT");
});

test("the markup of the page closes every tag", () => {
  expect(markupMistakes(page)).toEqual([]);
});

test("broken markup is detected", () => {
  expect(markupMistakes("<html><p>a<p>b</p></html>")).not.toEqual([]);
  expect(markupMistakes("<html><b>a & b</b></html>")).not.toEqual([]);
  expect(markupMistakes("<html><a>x<a>y</a></a></html>")).not.toEqual([]);
});

test("every anchor is unique, and every link inside the page has one", () => {
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  const links = tags(page).flatMap(({ attributes }) => attributes["href"] ?? []);
  const inside = links
    .filter((link) => link.startsWith("#"))
    .map((link) => decodeURIComponent(link.slice(1)));
  expect(inside.length).toBeGreaterThan(500);
  expect([...new Set(inside)].filter((anchor) => !ids.includes(anchor))).toEqual([]);
});

test("the page loads nothing from other origins and has no inline script or style", () => {
  const asked = tags(page).flatMap(({ name, attributes }) =>
    name === "a" ? [] : [attributes["src"] ?? "", attributes["href"] ?? ""].filter(Boolean),
  );
  expect(new Set(asked)).toEqual(
    new Set(["data:,", "/html/base.css", "/docs/reference.css", "/docs/reference.js"]),
  );
  const away = tags(page).filter(
    ({ name, attributes }) => name === "a" && /^(\w+:|\/\/)/.test(attributes["href"] ?? ""),
  );
  expect(away).toEqual([]);
  expect(page).not.toMatch(/<style|<script(?![^>]*src=)/);
  expect(
    tags(page)
      .flatMap(({ attributes }) => Object.keys(attributes))
      .filter((name) => /^(on|style$)/.test(name)),
  ).toEqual([]);
});

test.each(operations.map((operation) => [operation["operationId"] as string, operation]))(
  "%s is there with its path, its parameters, every field and every status",
  (operationId, operation) => {
    const section = page.slice(page.indexOf(`<section id="${operationId}"`)).split("</section>")[0] ?? "";
    const text = textOf(section);
    for (const words of [
      operation["path"],
      operation["summary"],
      (operation["description"] as string).replaceAll(/`|\[(?=[^\]]+\]\()|\]\([^)]*\)/g, ""),
      operation["method"].toUpperCase(),
    ])
      expect(text).toContain(words);
    const wanted = (operation["parameters"] as Json[]).map((parameter) => {
      const name =
        String(parameter["$ref"] ?? "")
          .split("/")
          .at(-1) ?? "";
      const { in: place, name: own } = (
        parameter["$ref"] === undefined ? parameter : document["components"].parameters[name]
      ) as Json;
      return `${operationId}.${place}.${own}`;
    });
    const bodies: [string, Json][] = Object.entries((operation["responses"] ?? {}) as Json).map(
      ([status, response]) => [status, response],
    );
    for (const { schema } of Object.values((operation["requestBody"]?.content ?? {}) as Json) as Json[])
      wanted.push(...fieldPaths(schema).map((path) => `${operationId}.request.${path}`));
    for (const [status, { content, headers: answered = {} }] of bodies) {
      if (!status.startsWith("2")) {
        wanted.push(`${operationId}.${status}`);
        continue;
      }
      wanted.push(...Object.keys(answered as Json).map((name) => `${operationId}.answer.header.${name}`));
      for (const { schema } of Object.values(content as Json) as Json[])
        wanted.push(...fieldPaths(schema).map((path) => `${operationId}.answer.${path}`));
    }
    expect(wanted.length).toBeGreaterThan(3);
    expect(wanted.filter((id) => !ids.includes(id))).toEqual([]);
  },
);

test.each(Object.entries(document["webhooks"] as Json))(
  "%s is there with every field of its body",
  (name, { post }) => {
    expect(ids).toContain(`event.${name}`);
    expect(textOf(page)).toContain(`${post.summary}.`);
    const { schema, examples } = post.requestBody.content["application/json"];
    const { oneOf } = document["components"].schemas[String(schema.$ref).split("/").at(-1) ?? ""] as Json;
    for (const [index, shape] of Object.keys(examples as Json).entries()) {
      const wanted = fieldPaths((oneOf as Json[] | undefined)?.[index] ?? schema).map(
        (path) => `${shape}.${path}`,
      );
      expect(wanted.length).toBeGreaterThan(3);
      expect(wanted.filter((id) => !ids.includes(id))).toEqual([]);
    }
  },
);

test("the limits, the choices and the rules of fields are shown", () => {
  const text = textOf(page).replaceAll(/\s+/g, " ");
  const expected = [
    "1 to 64 characters",
    "WEEKLY MONTHLY QUARTERLY SEMIANNUAL ANNUAL",
    "Takes exactly one of pixKey, qrcodeData and bankAccount.",
    "paymentData.pixKey must be left out: a TED payout goes to a bankAccount only.",
    "initialCharge is required when type is AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT.",
    "customer is required, except for PIX with the partner PIX_PARTNER.",
    "default 20",
    "string or null",
  ];
  expect(expected.filter((words) => !text.includes(words))).toEqual([]);
});

test("an assumption shows its value in this world", async () => {
  await using partner = await openPartner({ assumptions: { "webhook.timeout": "PT3S" } });
  const changed = await (await partner.sandbox.fetch("/docs")).text();
  expect(changed).toMatch(/within\s+<code>PT3S<\/code>/);
});

test("addresses have the host of the request, as escaped text", async () => {
  const { page: asked } = await readPage("http://bank.example:99/docs");
  expect(asked).toContain("http://bank.example:99/order/v1/banking/accounts");
});

test("the page is also served with a slash at the end", async () => {
  expect((await readPage("/docs/")).page).toBe(page);
});

test.each(files)("%s is served, loads nothing from other origins and writes no markup", async (name) => {
  const { page: text, headers } = await readPage(`/docs/${name}`);
  expect(text).toBe(readFileSync(`${FOLDER}/${name}`, "utf8"));
  expect(headers.get("content-type")).toContain(name.endsWith(".css") ? "text/css" : "text/javascript");
  expect(text).not.toMatch(/https?:\/\/|url\(|@import|innerHTML|outerHTML|insertAdjacentHTML|eval\(/);
  for (const [, module = ""] of text.matchAll(/from "\.\/([^"]+)"/g)) expect(files).toContain(module);
});

test.each(["/docs/none.js", "/docs/..%2Froutes.ts", "/docs/tsconfig.json"])(
  "%s is not there",
  async (path) => {
    await using partner = await openPartner();
    expect((await partner.sandbox.fetch(path)).status).toBe(404);
  },
);
