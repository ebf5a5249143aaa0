import { expect, test } from "vitest";
import { openPartner } from "../partner.ts";
import { operations } from "../../src/simulator/api/operations.ts";

/** Found by requests that a program invented: 400 was sent and not documented where an operation takes no input. */
test.each(Object.values(operations))(
  "$operationId documents the 400 that a wrong header or query parameter gets",
  async ({ method, path, errors }) => {
    await using partner = await openPartner({ assumptions: { "payloads.unknown-fields": "strict" } });
    const { status } = await partner.ask(method, `${path.replaceAll(/\{\w+\}/g, "x")}?unknown=1`, {
      headers: { "x-sandbox-plan": "unknown=UNKNOWN", "idempotency-key": "key-1" },
    });
    expect(status).toBe(400);
    expect(errors).toContain("INVALID_REQUEST");
  },
);
