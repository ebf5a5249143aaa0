import { choice, duration, durations, statement, wallDuration } from "./assumption.ts";

export const webhookAssumptions = {
  "webhook.config": statement(["webhook.rotation", "webhook.rotation-delay"], {
    says: "GET /order/v1/webhook gives {id, url, secret, createdAt, updatedAt}. POST /order/v1/webhook/rotate-secret gives the same fields with the new secret. An attempt is signed when it is sent, so a retry uses the secret of that moment. A company without a URL shows the URL that receives every webhook of its world, or null.",
    leavesOpen: "Record of the webhook configuration and its secret: its fields are not shown.",
    because: "A partner needs these fields, and one header has only one signature.",
  }),
  "webhook.rotation": choice(["immediate", "delayed", "flapping"], {
    says: "After a rotation the old secret stops signing immediately. With delayed it still signs for webhook.rotation-delay. With flapping the two secrets alternate for that time.",
    leavesOpen:
      "rotated with POST /order/v1/webhook/rotate-secret: when the new secret begins to sign is not shown.",
    because:
      "It is the simplest reading. The other two values show if a receiver accepts both secrets for some time.",
  }),
  "webhook.rotation-delay": duration("PT5M", {
    says: "If webhook.rotation is delayed or flapping, the old secret still signs for this time.",
    leavesOpen:
      "rotated with POST /order/v1/webhook/rotate-secret: when the new secret begins to sign is not shown.",
    because: "It is long enough to include a first retry after the rotation.",
  }),
  "webhook.retry-intervals": durations(["PT1M", "PT5M", "PT30M", "PT2H"], {
    says: "The four retries follow the previous failure after these intervals, without jitter.",
    leavesOpen: "Interval between retries: not shown.",
    because: "Growing intervals cover a restart and an outage. Without jitter a run repeats exactly.",
  }),
  "webhook.timeout": wallDuration("PT10S", {
    says: "An attempt can take this time in total. Then it fails and its connection is dropped.",
    leavesOpen: "A 2xx response acknowledges the delivery; any other response is retried 4 more times.",
    because:
      "A sender must give up at some point, and ten seconds is a usual limit. It is wall time, because the receiver is a real program.",
  }),
  "webhook.egress": choice(["local", "hosted"], {
    alternatives: [],
    says: "Webhooks can go to loopback, private and public addresses. With hosted only public addresses and the addresses of --egress-allow are allowed. A refused address fails the attempt, not the request that named it. A URL with a user name or a password is always refused.",
    leavesOpen:
      "an HTTP POST with a JSON body to the partner's notification URL: which addresses are allowed is not shown.",
    because:
      "A sandbox on a developer's machine must reach a receiver on that machine. A sandbox for others must not reach its own network.",
  }),
  "webhook.event-list": statement("form", {
    says: "The query takes limit, sort, cursor, createdFrom and createdTo. The answer has limit, sort, nextCursor, hasNext and data of {id, referenceId, url, status, createdAt, updatedAt, attempts: [{message, statusCode, createdAt}]}. An event is listed once all its attempts have failed (FAILED), until a resend succeeds. An attempt's message is the body that the endpoint returned, cut to 1000 characters, or the reason for its absence. A createdFrom after createdTo is INVALID_REQUEST. Both bounds are whole days in UTC. Creation times are unique to the microsecond, so a cursor, which is a time, skips no event. On every page nextCursor is the time of the last item. It is null on an empty page. hasNext is true if there are more pages. In the list of accounts nextCursor is null on the last page.",
    leavesOpen:
      "Names of query parameters other than cursor, names of response fields other than nextCursor, and the values of the delivery status: not shown.",
    because:
      "The names come from the other list of the platform API. The platform API describes the fields by their meaning.",
  }),
  "webhook.acknowledgement": statement("shown", {
    says: "The status line decides: any 2xx acknowledges, with any body, even a body without a returnCode or a body that never ends. A redirect is a failure and is not followed.",
    leavesOpen:
      "The partner answers status 200 with a body containing returnCode (string, required). A 2xx response acknowledges the delivery.",
    because: "Only the second sentence is about the sender.",
  }),
  "webhook.order": statement("byHand", {
    says: "Deliveries of one object are sent in the order of its events. A delivery waits for an attempt in flight of an earlier one, but not for its retries.",
    leavesOpen:
      "each time a transaction status changes: whether one delivery waits for another is not shown.",
    because:
      "Two deliveries at the same time could arrive in any order by chance. A receiver must handle a late retry in any case.",
  }),
} as const;
