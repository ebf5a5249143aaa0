import { tryDecodeURIComponent } from "hono/utils/url";
import type { Handler, Matched, Mounted, NamedRequest } from "./environment.ts";
import type { Route } from "../simulator/api/routes.ts";

/** A path with parameters. */
interface Pattern {
  readonly method: string;
  readonly expression: RegExp;
  readonly mounted: Mounted;
}

const NO_PARAMS: Matched["params"] = {};

/** The number of words of paths whose last parameter takes slashes. */
const ANY_LENGTH = -1;

/** Finds the operation of a request, in the catalogs of both APIs. */
export class Router {
  /** All routes, in the order of their catalogs. */
  readonly routes: Route[] = [];
  readonly #fixed = new Map<string, Matched>();
  readonly #patterns = new Map<number, Pattern[]>();

  /** Adds the operations of a catalog. */
  mount<One extends Mounted["operation"]>(
    catalog: Readonly<Record<string, One>>,
    answerTo: (operation: One, id: string) => Handler<NamedRequest>,
  ): void {
    for (const [id, operation] of Object.entries(catalog))
      this.add(operation, { id, operation, answer: answerTo(operation, id) });
  }

  /** Adds an operation at a path. It may have several paths. */
  add({ method, path }: Route, mounted: Mounted): void {
    this.routes.push({ method, path: path.replaceAll("*}", "}") });
    if (!path.includes("{")) {
      this.#fixed.set(`${method} ${path}`, { ...mounted, params: NO_PARAMS });
      return;
    }
    const length = path.includes("*}") ? ANY_LENGTH : lengthOf(path);
    const source = path.replaceAll(
      /\{(\w+)(\*?)\}/g,
      (_, name, rest) => `(?<${name}>${rest ? ".+" : "[^/]+"})`,
    );
    const pattern = { method, expression: new RegExp(`^${source}$`), mounted };
    this.#patterns.set(length, [...(this.#patterns.get(length) ?? []), pattern]);
  }

  /** Returns the operation at a method and path. HEAD is answered like GET. */
  match(given: string, path: string): Matched | undefined {
    const method = given === "HEAD" ? "GET" : given;
    const fixed = this.#fixed.get(`${method} ${path}`);
    return fixed ?? this.#matchIn(lengthOf(path), method, path) ?? this.#matchIn(ANY_LENGTH, method, path);
  }

  #matchIn(length: number, asked: string, path: string): Matched | undefined {
    for (const { method, expression, mounted } of this.#patterns.get(length) ?? []) {
      const found = method === asked ? expression.exec(path) : null;
      if (found !== null) return { ...mounted, params: decoded(found.groups) };
    }
    return undefined;
  }
}

/** Counts the words of a path. */
function lengthOf(path: string): number {
  let length = 0;
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) length++;
  return length;
}

function decoded(groups: Readonly<Record<string, string>> = {}): Record<string, string> {
  const params: Record<string, string> = {};
  for (const name in groups) params[name] = tryDecodeURIComponent(groups[name]!);
  return params;
}
