import { suggestion } from "../../simulator/engine/suggestion.ts";
import { UsageError } from "../../base/failures.ts";

/** The possible subjects of an integration, by the name that `--capabilities` takes: the sections of the platform API. */
const SECTIONS = {
  accounts: "Accounts",
  // A part of the subscriptions: an integration may make charges of subscriptions that others made.
  charges: "Subscriptions",
  claims: "PIX key claims",
  orders: "Orders",
  payouts: "Payouts",
  refunds: "Refunds",
  subscriptions: "Subscriptions",
  webhooks: "Webhooks",
} as const;

/** A subject of an integration. */
export type Capability = keyof typeof SECTIONS;

const CAPABILITIES = Object.keys(SECTIONS) as Capability[];

const CHARGE = /SCHEDULED_PAYMENT|ScheduledPayment/;

/** Returns true if an operation or an event of a section belongs to a capability. */
export function isPartOf(capability: Capability, name: string, section: string | undefined): boolean {
  return SECTIONS[capability] === section && (capability !== "charges" || CHARGE.test(name));
}

/** `--capabilities`: the parts of the platform API that an integration uses. */
export const capabilitiesFlag = {
  type: "string",
  describe: `Parts of the platform API that the integration uses, with commas [default: all]: ${CAPABILITIES.join(",")}`,
  read: (written: string): Capability[] | undefined =>
    written.split(",").map((one) => {
      const name = one.trim().toLowerCase();
      const known = CAPABILITIES.find((capability) => capability === name);
      if (known !== undefined) return known;
      throw new UsageError(
        `--capabilities: there is no "${one}". ${suggestion(name, CAPABILITIES, { all: "sandbank certify --help" })}`,
      );
    }),
} as const;
