/**
 * Returns a list of headers (name, value, name, value) as an object. The names keep their order and their letters. A
 * header that occurs twice has a list of values. Tracers such as Datadog and OpenTelemetry copy the headers of a request
 * into an object, so the names of a list are lost.
 */
export function headerObject(list: readonly string[]): Record<string, string | string[]> {
  const found = new Map<string, { readonly name: string; readonly values: string[] }>();
  for (let at = 0; at + 1 < list.length; at += 2) {
    const name = list[at]!;
    const former = found.get(name.toLowerCase());
    if (former === undefined) found.set(name.toLowerCase(), { name, values: [list[at + 1]!] });
    else former.values.push(list[at + 1]!);
  }
  return Object.fromEntries(
    Array.from(found.values(), ({ name, values }) => [name, values.length === 1 ? values[0]! : values]),
  );
}
