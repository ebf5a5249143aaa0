/**
 * Node's HTTP client and server. A static import of `node:http` reads each of its exports, and the one of `WebSocket`
 * loads all of `fetch`. That is 50 ms of processor time which most commands do not need. Take functions from this
 * object when you call them, because a tracer may replace them.
 */
export const http = process.getBuiltinModule("node:http");
