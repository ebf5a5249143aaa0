import { type SchemaSource, object } from "./schema-values.ts";

const jsonPath = (description: string, example: string): SchemaSource => ({
  description,
  type: "string",
  examples: [example],
});

/** The schema of `probe.books`. */
export const books = object(
  {
    account: jsonPath("Restricts the sums to this account.", "11111111-1111-4111-8111-111111111111"),
    unit: {
      description: "minor: your amounts are integers in the smallest unit of their currency; default: major.",
      enum: ["major", "minor"],
    },
    when: {
      description:
        "When they have to agree: at every quiet moment, which is after each step once nothing is on its way (quiet, the default), or only at the end.",
      enum: ["quiet", "end"],
    },
    totals: object(
      {
        received: jsonPath("JSONPath to what settled pay-ins credited, gross.", "$.received"),
        refunded: jsonPath("JSONPath to what refunds that were carried out gave back.", "$.refunded"),
        paidOut: jsonPath("JSONPath to what payouts paid, less what came back.", "$.paidOut"),
        fees: jsonPath("JSONPath to the fees that you bear.", "$.fees"),
        balance: jsonPath(
          "JSONPath to what is available, the opening balance included.",
          '$.accounts["main"].available',
        ),
      },
      {
        description:
          "Where each sum is: a number, a decimal as text, or an object of them by currency. What is not there is zero.",
        minProperties: 1,
      },
    ),
    rows: {
      description: "What you keep one by one.",
      type: "array",
      minItems: 1,
      items: object(
        {
          of: {
            description: "The collection of the sandbox.",
            enum: ["orders", "payouts", "refunds", "scheduled-payments", "subscriptions"],
          },
          at: jsonPath("JSONPath to the rows.", "$.payouts[*]"),
          key: jsonPath("The field of a row with the externalId or the id of the object.", "order"),
          amount: jsonPath("The field of a row with the amount.", "amount"),
          status: {
            description:
              "`field` is the field of a row with its status; the others are statuses of the sandbox with your words for each.",
            type: "object",
            required: ["field"],
            additionalProperties: {
              anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
            },
            examples: [{ field: "state", PAID: ["done", "paid"], ERROR: "failed" }],
          },
        },
        { required: ["of", "at", "key"] },
      ),
    },
  },
  {
    title: "Books",
    description:
      "Your sums and rows, which have to agree with the ledger of the sandbox: `sandbank run` fails at the step at which they part, `explore` reports it as a difference. docs/books.md defines each sum.",
    minProperties: 1,
    examples: [{ totals: { received: "$.received", paidOut: "$.paidOut" } }],
  },
);
