import { listed, nearestWords } from "../engine/suggestion.ts";

/** One method of one path of the server. */
export interface Route {
  readonly method: string;
  /** The path with its parameters in braces: `/sandbox/worlds/{id}`. */
  readonly path: string;
}

/** Returns true if a path belongs to the sandbox's own API. */
export function isControlPath(path: string): boolean {
  return path.startsWith("/sandbox/");
}

/** Whether a word of a written path matches a word of a route's path. */
type IsLike = (written: string, word: string) => boolean;

/** Returns the routes that match a written path, with any values of their parameters. */
export function routesAt(routes: readonly Route[], path: string, isLike: IsLike = isSame): Route[] {
  return routes.filter((route) => matches(route.path, path, isLike));
}

/**
 * Advises on a request whose route is unknown: use a method of its path, or the nearest path that has the method. So
 * the advice on a misspelt read never names a change.
 */
export function routeAdvice(
  routes: readonly Route[],
  { method: written, path }: Route,
  isLike: IsLike = isSame,
): string {
  const isDoubled = path.includes("//") ? routesAt(routes, path.replaceAll(/\/{2,}/g, "/"), isLike) : [];
  const single = isDoubled.find((route) => route.method === written);
  if (single !== undefined) return `Did you mean ${written} ${single.path}? The path has // in place of /.`;
  const methods = routesAt(routes, path, isLike).map((route) => route.method);
  if (methods.length > 0) return `This path has only ${listed([...new Set(methods)], "and")}.`;
  const method = written === "HEAD" ? "GET" : written;
  const isNearby: IsLike = (one, word) => isLike(one, word) || nearestWords(one, [word]).length > 0;
  const near = routesAt(routes, path.replace(/(?<!\/)\/+$/, ""), isNearby)
    .filter((route) => route.method === method)
    .map((route) => route.path);
  const meant = nearestWords(path, near)[0] ?? near[0];
  if (meant !== undefined) return `Did you mean ${method} ${meant}?`;
  const [moved] = underOtherPrefix(routes, { method, path });
  if (moved !== undefined) return `Did you mean ${method} ${moved.path}?`;
  if (!isControlPath(path)) return "See /openapi.json for the paths.";
  const names = new Set(routes.flatMap((route) => /^\/sandbox\/\w+/.exec(route.path)?.[0] ?? []));
  return `There are these paths and some below them: ${[...names].toSorted().join(", ")}.`;
}

/** The number of words before the resource in a path of the platform API: `/order/v1/banking`. */
const PREFIX_WORDS_MAX = 3;

/** Returns the routes whose last words a path has after other first words, the most similar route first. */
function underOtherPrefix(routes: readonly Route[], { method, path }: Route): Route[] {
  const written = path.split("/").filter((word) => word !== "");
  return routes
    .filter((route) => route.method === method)
    .map((route) => ({ route, words: route.path.split("/").filter((word) => word !== "") }))
    .map(({ route, words }) => ({ route, words, same: sameAtEnd(words, written) }))
    .filter(
      ({ words, same }) =>
        words.length - same <= PREFIX_WORDS_MAX && written.length - same <= PREFIX_WORDS_MAX,
    )
    .filter(({ words, same }) => words.slice(words.length - same).some((word) => !word.startsWith("{")))
    .toSorted((one, other) => other.same - one.same)
    .map(({ route }) => route);
}

/** Counts the last words that two paths share. A parameter is the same as any word. */
function sameAtEnd(words: readonly string[], written: readonly string[]): number {
  let count = 0;
  while (count < Math.min(words.length, written.length)) {
    const [word = "", other = ""] = [words.at(-1 - count), written.at(-1 - count)];
    if (word !== other && !word.startsWith("{")) break;
    count++;
  }
  return count;
}

/** Returns true if each word of a path is like the written word. A parameter accepts any word. */
function matches(path: string, written: string, isLike: IsLike): boolean {
  const words = path.split("/");
  const writtenWords = written.split("/");
  return (
    words.length === writtenWords.length &&
    words.every((word, at) => {
      const one = writtenWords[at] ?? "";
      return word.startsWith("{") ? one !== "" : isLike(one, word);
    })
  );
}

function isSame(written: string, word: string): boolean {
  return written === word;
}
