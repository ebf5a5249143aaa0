import { choice, duration, durations, statement, wallDuration } from "./assumption.ts";

export const webhookAssumptions = {
  "webhook.config": statement(["webhook.rotation", "webhook.rotation-delay"], {
    says: "GET /order/v1/webhook gives {id, url, secret, createdAt, updatedAt}, and POST /order/v1/webhook/rotate-secret the same with the new secret. An attempt is signed when it is sent, so a retry uses the secret of that moment. A company without a URL shows the URL that receives every webhook of its world, or null.",
    leavesOpen: "Record of the webhook configuration and its secret: its fields are not shown.",
    because: "They are the fields that a partner has to read, and one header carries one signature.",
  }),
  "webhook.rotation": choice(["immediate", "delayed", "flapping"], {
    says: "After a rotation the old secret stops signing at once; with delayed it still signs for webhook.rotation-delay, with flapping the two alternate for that time.",
    leavesOpen:
      "rotated with POST /order/v1/webhook/rotate-secret: when the new secret begins to sign is not shown.",
    because:
      "It is the simplest reading; the other two show whether a receiver accepts both secrets for some time.",
  }),
  "webhook.rotation-delay": duration("PT5M", {
    says: "The time for which the old secret still signs if webhook.rotation is delayed or flapping.",
    leavesOpen:
      "rotated with POST /order/v1/webhook/rotate-secret: when the new secret begins to sign is not shown.",
    because: "It is long enough to include a first retry after the rotation.",
  }),
  "webhook.retry-intervals": durations(["PT1M", "PT5M", "PT30M", "PT2H"], {
    says: "Each of the four retries follows the failure before it by these intervals, without jitter.",
    leavesOpen: "Interval between retries: not shown.",
    because:
      "Growing intervals cover a restart as well as an outage, and without jitter a run repeats exactly.",
  }),
  "webhook.timeout": wallDuration("PT10S", {
    says: "An attempt may take this long in total; then it fails and its connection is dropped.",
    leavesOpen: "A 2xx response acknowledges the delivery; any other response is retried 4 more times.",
    because:
      "A sender has to give up at some point, and ten seconds is a usual limit. It is wall time, because the receiver is a real program.",
  }),
  "webhook.egress": choice(["local", "hosted"], {
    alternatives: [],
    says: "Webhooks may go to loopback, private and public addresses; hosted allows public addresses and those of --egress-allow only. A refused address fails the attempt, not the request that named it; one with a user name or a password in it is always refused.",
    leavesOpen:
      "an HTTP POST with a JSON body to the partner's notification URL: which addresses are allowed is not shown.",
    because:
      "A sandbox on a developer's machine calls a receiver on that machine; a sandbox that others can reach must not.",
  }),
  "webhook.event-list": statement("form", {
    says: "The query takes limit, sort, cursor, createdFrom and createdTo; the answer has limit, sort, nextCursor, hasNext and data of {id, referenceId, url, status, createdAt, updatedAt, attempts: [{message, statusCode, createdAt}]}. An event is listed once all its attempts have failed (FAILED), until a resend succeeds. An attempt's message is the body that the endpoint returned, cut to 1000 characters, or the reason for its absence. A createdFrom after createdTo is INVALID_REQUEST. Both bounds are whole days in UTC. Creation times are unique to the microsecond, so that a cursor, which is a time, skips no event. nextCursor is the last item's time on the last page too, null on an empty one; hasNext says whether there are more. In the list of accounts nextCursor is null on the last page.",
    leavesOpen:
      "Names of query parameters other than cursor, names of response fields other than nextCursor, and the values of the delivery status: not shown.",
    because:
      "The names are those of the other list of the interface, and the fields those it describes by meaning.",
  }),
  "webhook.acknowledgement": statement("shown", {
    says: "The status line decides: any 2xx acknowledges, with any body, even a body without a returnCode or a body that never ends. A redirect is a failure and is not followed.",
    leavesOpen:
      "The partner answers status 200 with a body containing returnCode (string, required). A 2xx response acknowledges the delivery.",
    because: "Only the second sentence describes what the sender does.",
  }),
  "webhook.order": statement("byHand", {
    says: "Deliveries about one object are sent in the order of its events; one waits while another's attempt is in flight, but not for its retries.",
    leavesOpen:
      "each time a transaction status changes: whether one delivery waits for another is not shown.",
    because:
      "Two that are sent at the same time could arrive in either order by chance; a receiver has to handle a late retry.",
  }),
} as const;
