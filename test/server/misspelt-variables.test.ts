import { expect, test } from "vitest";
import { misspeltVariables } from "../../src/server/settings/misspelt-variables.ts";

test("a variable whose name is nearly that of a setting gets a proposal", () => {
  expect(misspeltVariables({ SANDBANK_WEBHOK_URL: "x" })).toEqual([
    "The variable SANDBANK_WEBHOK_URL is not used. Did you mean SANDBANK_WEBHOOK_URL?",
  ]);
});

test("variables of other commands, and those that a cluster sets for a service, get none", () => {
  const environment = {
    SANDBANK_SEED: "7",
    SANDBANK_REPORTER: "tap",
    SANDBANK_URL: "x",
    SANDBANK_SERVICE_HOST: "10.0.0.1",
    SANDBANK_SERVICE_PORT_HTTP: "4010",
    SANDBANK_PORT_4010_TCP_ADDR: "10.0.0.1",
    SANDBANK_DB: "x",
    WEBHOK_URL: "x",
  };
  expect(misspeltVariables(environment)).toEqual([]);
});
