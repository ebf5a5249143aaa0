import { ControlFailure, controlClient, streamEvents } from "../../../control/client.js";
import { errorText, parsed } from "./text.js";

const ADMIN_TOKEN = "sandbank-admin-token";

const JSON_BODY = { "content-type": "application/json" };

/** How long to wait before a stream that ended is opened again. */
const REOPEN_AFTER_MS = 1000;

/** Events come in bursts: the listener is called once for all events of a burst. */
const BURST_MS = 120;

/** The sandbox's own API, in one of its worlds. */
export class Api {
  /** The token of the world that is shown; undefined for the default world. @type {string | undefined} */
  worldToken;

  /** Asks the user for the admin token; undefined if the user enters none. @type {() => Promise<string | undefined>} */
  #askAdminToken;
  /** @type {Promise<boolean> | undefined} */
  #asking;

  #client = controlClient({ adminToken: () => sessionStorage.getItem(ADMIN_TOKEN) });

  /** @param {() => Promise<string | undefined>} askAdminToken */
  constructor(askAdminToken) {
    this.#askAdminToken = askAdminToken;
  }

  /** @param {string} path under `/sandbox` */
  get(path) {
    return this.send("GET", path);
  }

  /** @param {string} path @param {object} [body] */
  post(path, body) {
    return this.send("POST", path, body);
  }

  /**
   * Opens a stream of the world.
   *
   * @param {string} path
   * @param {{ last: string | undefined, signal: AbortSignal }} options `last` is the id of the last event that arrived
   */
  async open(path, { last, signal }) {
    /** @type {Record<string, string>} */
    const headers = last === undefined ? {} : { "last-event-id": last };
    const { ok, status, body } = await this.#fetch("GET", path, this.worldToken, { headers, signal });
    if (!ok || body === null)
      throw new ControlFailure("The stream of the timeline does not open.", { status });
    return body;
  }

  /**
   * Reads an object, with the address of the page on which its payer acts; undefined where it has none.
   *
   * @param {string} path
   * @returns {Promise<{ object: any, payerPage: string | undefined }>}
   */
  async getObject(path) {
    const response = await this.request("GET", path);
    const [, address] = /^<([^>]+)>; rel="payer-page"$/.exec(response.headers.get("link") ?? "") ?? [];
    return { object: await response.json(), payerPage: address };
  }

  /**
   * Sends a request and reads the JSON of its answer, as `request` does.
   *
   * @param {Parameters<Api["request"]>} request
   * @returns {Promise<any>}
   */
  async send(...request) {
    const text = await (await this.request(...request)).text();
    return text === "" ? {} : parsed(text);
  }

  /**
   * Sends a request; where the admin token is missing, asks for it and sends the request again. Rejects with
   * a `ControlFailure` where the sandbox refuses.
   *
   * @param {string} method
   * @param {string} path under `/sandbox`
   * @param {object} [body]
   * @param {string} [token] default: that of the world that is shown
   * @returns {Promise<Response>}
   */
  async request(method, path, body, token = this.worldToken) {
    const init = body === undefined ? {} : { headers: JSON_BODY, body: JSON.stringify(body) };
    const response = await this.#fetch(method, path, token, init);
    const { status } = response;
    if (status < 400) return response;
    if ((status === 401 || status === 403) && (await this.#lacksAdminToken())) {
      const isGiven = await (this.#asking ??= this.#storeAdminToken());
      if (isGiven) return this.request(method, path, body, token);
    }
    throw new ControlFailure(errorText(parsed(await response.text()), status), { status });
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {string | undefined} token
   * @param {{ headers?: Record<string, string>, body?: string, signal?: AbortSignal }} [init]
   */
  #fetch(method, path, token, init = {}) {
    const headers = { ...init.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    return this.#client.send(`/sandbox${path}`, { ...init, method, cache: "no-store", headers });
  }

  /** Whether the sandbox refuses even a request that names no world: then the admin token is missing. */
  async #lacksAdminToken() {
    const { status } = await this.#fetch("GET", "/worlds", undefined);
    return status === 401 || status === 403;
  }

  async #storeAdminToken() {
    const token = await this.#askAdminToken();
    if (token !== undefined) sessionStorage.setItem(ADMIN_TOKEN, token);
    this.#asking = undefined;
    return token !== undefined;
  }
}

/**
 * Listens to the timeline of the world and calls `changed` once for each burst of entries. A stream that ends is
 * opened again after the last event that arrived. It uses `fetch`, because a request of the browser's `EventSource`
 * carries no tokens.
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
      const body = await api.open("/timeline/stream", { last, signal });
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
