import { statement } from "./assumption.ts";

export const httpAssumptions = {
  "http.statuses": statement({
    says: "A POST that creates answers 201 and every other success 200; INVALID_REQUEST is 400, UNAUTHORIZED 401, FORBIDDEN_ERROR 403, NOT_FOUND 404 and INTERNAL_ERROR 500.",
    leavesOpen: "Numeric HTTP status codes for each error: not shown.",
    because: "Each error code names the HTTP status that has the same meaning.",
  }),
  "http.statuses-of-actions": statement({
    says: "A POST that creates nothing (resend, cancel, confirm, rotate) answers 200.",
    leavesOpen: "Numeric HTTP status codes: shown for no operation.",
    because: "201 promises a new resource, and these change one that exists.",
  }),
  "http.error-bodies": statement({
    says: "Payouts and transparent orders answer errors with the common body of error, message and details; a transparent order also knows NOT_FOUND.",
    leavesOpen: "Error body shapes of payout creation and transparent order creation: not shown.",
    because: "A client that already reads the common body needs no second reader.",
  }),
  "http.rate-limits": statement({
    says: "No request is refused for coming too often; a fault of the API can answer 429 on demand.",
    leavesOpen: "Rate limits: not shown.",
    because: "An invented limit would fail test suites that the platform lets pass.",
  }),
  "http.paths": statement({
    says: "A path, or a method on it, that the interface does not have is NOT_FOUND with a message that names it; paths are taken letter by letter, a slash at the end included. HEAD is answered as GET is, without the body.",
    leavesOpen: "What becomes of a request that fits none of the endpoints: not shown.",
    because:
      "NOT_FOUND is the nearest of the five error codes: none stands for a method that is not allowed.",
  }),
  "http.request-bodies": statement({
    says: "A body is read as JSON in UTF-8, with a byte order mark or without, whatever its Content-Type says; of a key that comes twice the last counts. More than 1048576 bytes, a Content-Encoding such as gzip, other text than UTF-8, lists and objects more than 100 deep in one another and a body that breaks off are INVALID_REQUEST at the field body.",
    leavesOpen:
      "Request and response bodies are JSON: the header that says so, the encoding and the largest size are not shown.",
    because: "A missing header hides nothing, while bytes that can be read in two ways would.",
  }),
  "http.versions": statement({
    says: "The version is the one in the path; no header chooses another.",
    leavesOpen: "Versioning policy, deprecation and any header-based version selection: not shown.",
    because: "The paths are the only sign of a version that the interface shows.",
  }),
} as const;
