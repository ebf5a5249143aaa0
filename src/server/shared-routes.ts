import type { Result, Router } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";

/** The trees of all lists of routes so far: a process has one or two. */
const trees = new Map<string, TrieRouter<number>>();

/**
 * Finds handlers as Hono's `TrieRouter`. Apps with the same routes have one tree, which gives the position of a handler:
 * to build it takes longer than a sandbox of a test needs for its requests.
 */
export class SharedRoutes<Handler> implements Router<Handler> {
  readonly name = "SharedRoutes";
  readonly #routes: (readonly [method: string, path: string])[] = [];
  readonly #handlers: Handler[] = [];
  #tree: TrieRouter<number> | undefined;
  /** What was found last: a client that waits for a change asks for one path again and again. */
  #latest: { readonly method: string; readonly path: string; readonly found: Result<Handler> } | undefined;

  add(method: string, path: string, handler: Handler): void {
    this.#routes.push([method, path]);
    this.#handlers.push(handler);
    this.#tree = undefined;
    this.#latest = undefined;
  }

  match(method: string, path: string): Result<Handler> {
    if (this.#latest?.path === path && this.#latest.method === method) return this.#latest.found;
    this.#tree ??= treeOf(this.#routes);
    const [matched] = this.#tree.match(method, path);
    const found = [
      matched.map(([position, params]) => [this.#handlers[position]!, params]),
    ] as Result<Handler>;
    this.#latest = { method, path, found };
    return found;
  }
}

function treeOf(routes: readonly (readonly [method: string, path: string])[]): TrieRouter<number> {
  const key = routes.join("\n");
  const known = trees.get(key);
  if (known !== undefined) return known;
  const tree = new TrieRouter<number>();
  for (const [position, [method, path]] of routes.entries()) tree.add(method, path, position);
  trees.set(key, tree);
  return tree;
}
