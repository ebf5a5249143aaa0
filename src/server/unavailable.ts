import { type Clocked, jsonAnswer } from "./answer.ts";
import { memory } from "../process/memory.ts";

/** Methods that store nothing: they are answered as usual, however little memory is left. */
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Whether a request only reads. */
export function isRead(method: string): boolean {
  return SAFE_METHODS.has(method);
}

/** Whether a request may store something that stays. What removes something under `/sandbox` stores next to nothing. */
export function storesSomething(method: string, path: string): boolean {
  if (isRead(method) || freesMemory(method, path)) return false;
  return method !== "DELETE" || !path.startsWith("/sandbox/");
}

/** Whether a request drops a world, or what was stored in one. */
export function freesMemory(method: string, path: string): boolean {
  return /^(POST \/sandbox\/(reset|snapshots\/[^/]+\/restore)|DELETE \/sandbox\/(worlds|snapshots)\/[^/]+)$/.test(
    `${method} ${path}`,
  );
}

/** The answer 503 to a request that the server, or its world, has no room for. */
export function unavailable(
  clock: Clocked,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return jsonAnswer(clock, 503, { error: "INTERNAL_ERROR", message, details: [] }, headers);
}

/** Why nothing more can be stored, and what to do about it. */
export function memoryFull(): string {
  return `The memory of ${memory.limitMb} MB is nearly used up, so no more can be stored. Reset (POST /sandbox/reset), drop worlds (DELETE /sandbox/worlds/{id}) and snapshots (DELETE /sandbox/snapshots/{id}), or start with more: NODE_OPTIONS=--max-old-space-size=${memory.limitMb * 2}.`;
}

/** Why a large body is not read, and what to do about it. */
export const TOO_MANY_BODIES =
  "As many large bodies of this world, or of all, are being received as there is room for. Send the request again in a second.";
