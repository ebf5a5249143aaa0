import { ADMIN_TOKEN_HEADER, controlClient, streamEvents } from "../../../server/control/client.js";
import { requestedWorld } from "./worlds.js";

const ADMIN_TOKEN = "sandbank-admin-token";

/** The milliseconds before an ended stream is opened again. */
const REOPEN_AFTER_MS = 1000;

/** Events come in bursts: the listener is called once for all events of a burst. */
const BURST_MS = 120;

const adminToken = () => sessionStorage.getItem(ADMIN_TOKEN);

/**
 * The sandbox's own API, in one of its worlds. If the admin token is missing, it asks for the token and sends the
 * request again.
 */
export class Api {
  /** Asks the user for the admin token; undefined if the user enters none. @type {() => Promise<string | undefined>} */
  #askAdminToken;
  /** @type {Promise<boolean> | undefined} */
  #asking;

  #client = controlClient({
    adminToken,
    ...requestedWorld(),
    fetch: (request) => this.#fetch(request),
  });

  ask = this.#client.ask;
  open = this.#client.open;

  /** Lists every world, also if the world of the page does not exist. */
  worlds = controlClient({ adminToken, fetch: (request) => this.#fetch(request) }).worlds;

  /** @param {() => Promise<string | undefined>} askAdminToken */
  constructor(askAdminToken) {
    this.#askAdminToken = askAdminToken;
  }

  /** @param {Request} request @returns {Promise<Response>} */
  async #fetch(request) {
    const again = request.clone();
    const response = await fetch(request, { cache: "no-store" });
    if (!LACKING.has(response.status) || !(await lacksAdminToken())) return response;
    if (!(await (this.#asking ??= this.#storeAdminToken()))) return response;
    again.headers.set(ADMIN_TOKEN_HEADER, adminToken() ?? "");
    return this.#fetch(again);
  }

  async #storeAdminToken() {
    const token = await this.#askAdminToken();
    if (token !== undefined) sessionStorage.setItem(ADMIN_TOKEN, token);
    this.#asking = undefined;
    return token !== undefined;
  }
}

const LACKING = new Set([401, 403]);

/** Returns true if the sandbox refuses even a request that names no world. The admin token is then missing. */
async function lacksAdminToken() {
  const { status } = await controlClient({ adminToken }).send("/sandbox/worlds", { cache: "no-store" });
  return LACKING.has(status);
}

/**
 * Listens to the timeline of the world and calls `changed` once for each burst of entries. A stream that ends is
 * opened again after the last event that arrived. It uses `fetch`, because a request of the browser's `EventSource`
 * has no tokens.
 *
 * @param {Api} api
 * @param {{ changed: () => void, signal: AbortSignal }} options
 */
export async function listen(api, { changed, signal }) {
  /** @type {string | undefined} */
  let last;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;
  while (!signal.aborted) {
    try {
      const headers = last === undefined ? {} : { "last-event-id": last };
      const { body } = await api.open("GET /sandbox/timeline/stream", {}, { headers, signal });
      for await (const { id, data } of streamEvents(body)) {
        last = id ?? last;
        if (data === undefined) continue;
        waiting ??= setTimeout(() => {
          waiting = undefined;
          if (!signal.aborted) changed();
        }, BURST_MS);
      }
    } catch {
      // The page's next request reports a sandbox that does not answer.
    }
    await new Promise((resolve) => setTimeout(resolve, REOPEN_AFTER_MS));
  }
}
