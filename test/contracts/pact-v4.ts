const text = { type: "string", minLength: 1 };
const valuesByName = { type: "object", additionalProperties: { type: "array", items: { type: "string" } } };

const rules = {
  type: "object",
  required: ["combine", "matchers"],
  additionalProperties: false,
  properties: {
    combine: { enum: ["AND", "OR"] },
    matchers: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["match"],
        oneOf: [
          { properties: { match: { const: "regex" }, regex: text }, required: ["regex"] },
          { properties: { match: { const: "statusCode" }, status: text }, required: ["status"] },
          { properties: { match: { enum: ["type", "integer", "decimal", "boolean", "null", "equality"] } } },
        ],
      },
    },
  },
};

const matchingRules = {
  type: "object",
  additionalProperties: false,
  properties: {
    path: rules,
    status: rules,
    header: { type: "object", additionalProperties: rules },
    query: { type: "object", additionalProperties: rules },
    metadata: { type: "object", additionalProperties: rules },
    body: { type: "object", propertyNames: { pattern: "^[$]" }, additionalProperties: rules },
  },
};

const body = {
  type: "object",
  required: ["content", "contentType", "encoded"],
  additionalProperties: false,
  properties: { content: true, contentType: text, encoded: { enum: [false, "base64", "JSON"] } },
};

const described = {
  type: text,
  description: text,
  comments: { type: "object" },
  providerStates: {
    type: "array",
    items: {
      type: "object",
      required: ["name"],
      additionalProperties: false,
      properties: { name: text, params: { type: "object" } },
    },
  },
};

const http = {
  type: "object",
  required: ["type", "description", "request", "response"],
  additionalProperties: false,
  properties: {
    ...described,
    type: { const: "Synchronous/HTTP" },
    request: {
      type: "object",
      required: ["method", "path"],
      additionalProperties: false,
      properties: {
        method: { enum: ["GET", "POST", "PUT", "PATCH", "DELETE"] },
        path: { type: "string", pattern: "^/" },
        query: valuesByName,
        headers: valuesByName,
        body,
        matchingRules,
        generators: { type: "object" },
      },
    },
    response: {
      type: "object",
      required: ["status"],
      additionalProperties: false,
      properties: { status: { type: "integer" }, headers: valuesByName, body, matchingRules },
    },
  },
};

const message = {
  type: "object",
  required: ["type", "description", "contents"],
  additionalProperties: false,
  properties: {
    ...described,
    type: { const: "Asynchronous/Messages" },
    contents: body,
    metadata: { type: "object" },
    matchingRules,
  },
};

const named = { type: "object", required: ["name"], properties: { name: text } };

/** The part of version 4 of the Pact format that generated pacts keep to, as JSON Schema. */
export const PACT_V4 = {
  type: "object",
  required: ["consumer", "provider", "interactions", "metadata"],
  additionalProperties: false,
  properties: {
    consumer: named,
    provider: named,
    metadata: {
      type: "object",
      required: ["pactSpecification"],
      properties: { pactSpecification: { type: "object", properties: { version: { const: "4.0" } } } },
    },
    interactions: {
      type: "array",
      minItems: 1,
      items: { oneOf: [http, message] },
    },
  },
};
