/** The headers of one connection (RFC 9110, 7.6.1). A server that passes on a request or an answer leaves them out. */
export const CONNECTION_HEADERS = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
] as const;
