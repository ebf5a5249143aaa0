import { duration } from "./assumption.ts";

export const webhookAssumptions = {
  "webhook.timeout": duration("PT10S", {
    says: "An attempt has ten seconds of wall time in all, whatever the world's clock does.",
    leavesOpen: "any other response is retried 4 more times.",
    because: "A sender has to give up some time, and ten seconds is what receivers are usually given.",
  }),
} as const;
