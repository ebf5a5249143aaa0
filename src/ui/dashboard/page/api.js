// @ts-check
import { sentenceOf } from "./words.js";

const ADMIN_TOKEN = "sandbank-admin-token";

/** The sandbox refused: its sentence, as a person is to read it. */
export class Refused extends Error {
  /**
   * @param {string} sentence
   * @param {number} status
   */
  constructor(sentence, status) {
    super(sentence);
    this.name = "Refused";
    this.status = status;
  }
}

/** The sandbox's own API, in one of its worlds. */
export class Api {
  /** The token that names the world; without one it is the default world. @type {string | undefined} */
  worldToken;

  /** Asks a person for the admin token; undefined gives up. @type {() => Promise<string | undefined>} */
  #askAdminToken;
  /** @type {Promise<boolean> | undefined} */
  #asking;

  /** @param {() => Promise<string | undefined>} askAdminToken */
  constructor(askAdminToken) {
    this.#askAdminToken = askAdminToken;
  }

  /** @param {string} path under `/sandbox` */
  get(path) {
    return this.send("GET", path);
  }

  /**
   * @param {string} path
   * @param {object} [body]
   * @param {{ as?: string | undefined }} [options]
   */
  post(path, body, options) {
    return this.send("POST", path, body, options);
  }

  /**
   * Reads what is no JSON.
   *
   * @param {string} path
   * @returns {Promise<string>}
   */
  async text(path) {
    const response = await this.#fetch("GET", path, this.worldToken);
    if (response.ok) return response.text();
    // The refusal is read, and the admin token asked for, where every other request does it.
    await this.get(path);
    return this.text(path);
  }

  /**
   * Opens a stream of the world.
   *
   * @param {string} path
   * @param {{ last: string | undefined, signal: AbortSignal }} options `last` is where it broke off
   */
  async open(path, { last, signal }) {
    const headers = last === undefined ? {} : { "last-event-id": last };
    const response = await this.#fetch("GET", path, this.worldToken, { headers, signal });
    if (!response.ok || response.body === null)
      throw new Refused("The stream does not open.", response.status);
    return response.body;
  }

  /**
   * Sends a request, and again once the admin token was asked for, where one is needed. Rejects with the
   * sentence of a refusal.
   *
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @param {{ as?: string | undefined }} [options] whose token to send in place of the world's
   * @returns {Promise<any>}
   */
  async send(method, path, body, { as } = {}) {
    const { status, answer } = await this.#request(method, path, as ?? this.worldToken, body);
    if (status < 400) return answer;
    if ((status === 401 || status === 403) && (await this.#lacksAdminToken())) {
      const given = await (this.#asking ??= this.#giveAdminToken());
      if (given) return this.send(method, path, body, as === undefined ? {} : { as });
    }
    throw new Refused(sentenceOf(answer, status), status);
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {string | undefined} token
   * @param {object} [body]
   */
  async #request(method, path, token, body) {
    const response = await this.#fetch(method, path, token, {
      ...(body !== undefined && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    const text = await response.text();
    return { status: response.status, answer: text === "" ? {} : parsed(text) };
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {string | undefined} token
   * @param {{ headers?: Record<string, string>, body?: string, signal?: AbortSignal }} [init]
   */
  #fetch(method, path, token, init = {}) {
    const adminToken = sessionStorage.getItem(ADMIN_TOKEN);
    return fetch(`/sandbox${path}`, {
      ...init,
      method,
      cache: "no-store",
      headers: {
        ...init.headers,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(adminToken !== null && { "x-admin-token": adminToken }),
      },
    });
  }

  /** Whether the sandbox's own API is shut even to a request that names no world. */
  async #lacksAdminToken() {
    const { status } = await this.#request("GET", "/worlds", undefined);
    return status === 401 || status === 403;
  }

  async #giveAdminToken() {
    const token = await this.#askAdminToken();
    if (token !== undefined) sessionStorage.setItem(ADMIN_TOKEN, token);
    this.#asking = undefined;
    return token !== undefined;
  }
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text.slice(0, 300) };
  }
}
