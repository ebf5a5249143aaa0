import type { Context } from "hono";
import { Hono } from "hono";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { UnsupportedPathError } from "hono/router";

type Route = (c: Context) => Response | Promise<Response>;

/**
 * Routes in front of an app, for what is asked most. The quickest of Hono's routers takes no path where a parameter
 * stands beside a fixed word, and in one app a single such path would slow down all others: here it goes to the
 * app behind, as does every request that no quick route is for.
 */
export class QuickRoutes {
  /** The app to ask: these routes, and then those behind. */
  readonly app = new Hono({ router: new RegExpRouter() });
  readonly #behind: Hono;
  /** Tells which paths the router takes: one that it refuses may leave traces in it. */
  readonly #probe = new RegExpRouter<undefined>();

  constructor(behind: Hono) {
    this.#behind = behind;
    this.app.notFound((c) => behind.fetch(c.req.raw, c.env));
  }

  on(method: string, path: string, route: Route): void {
    (this.#isQuick(method, path) ? this.app : this.#behind).on(method, path, route);
  }

  #isQuick(method: string, path: string): boolean {
    try {
      this.#probe.add(method, path, undefined);
      return true;
    } catch (error) {
      if (error instanceof UnsupportedPathError) return false;
      throw error;
    }
  }
}
