/**
 * Returns a list of headers (name, value, name, value) as an object. The names keep their order and their letters. A
 * header that occurs twice has a list of values. Tracers such as Datadog and OpenTelemetry copy the headers of a request
 * into an object, so the names of a list are lost.
 */
export function headerObject(list: readonly string[]): Record<string, string | string[]> {
  const found = new Map<string, [name: string, value: string | string[]]>();
  for (let at = 0; at + 1 < list.length; at += 2) {
    const name = list[at]!;
    const value = list[at + 1]!;
    const field = found.get(name.toLowerCase());
    if (field === undefined) found.set(name.toLowerCase(), [name, value]);
    else if (Array.isArray(field[1])) field[1].push(value);
    else field[1] = [field[1], value];
  }
  return Object.fromEntries(found.values());
}
