import { type SettingType, text } from "./setting-types.ts";

/** Returns true if a value is the URL of a database. A URL without a host names a socket by its parameters. */
export function isDatabaseUrl(value: string): boolean {
  return /^postgres(ql)?:\/\//i.test(value) && URL.canParse(value.replace("@/", "@localhost/"));
}

function isPostgres(value: string): boolean {
  return /^postgres(ql)?:/i.test(value);
}

/** The parameters of a connection: `host=db dbname=x` in the form of libpq, or `Server=db;Database=x`. */
const PARAMETERS =
  /(^|[\s;])(host|hostaddr|server|data source|port|dbname|database|user|username|user id|uid|password|pwd|service)\s*=/i;

/** A file, or the URL of a database. The problem does not repeat the value: a URL may contain a password. */
export const dataLocation: SettingType<string> = {
  schema: { type: "string", minLength: 1 },
  read: (value) => {
    const read = text("a file or a postgres:// URL").read(value);
    const written = String(value);
    const scheme = /^([a-z][\w+.-]*):(?=\/\/|\w+:\/\/)/i.exec(written)?.[1];
    if (isPostgres(written) ? isDatabaseUrl(written) : scheme === undefined && !PARAMETERS.test(written))
      return read;
    if (scheme !== undefined && !/^(postgres|jdbc)/i.test(scheme))
      return { problem: `must be a file or a postgres:// URL; found a URL that begins with ${scheme}://` };
    return {
      problem:
        "must be a URL such as postgres://user:password@host:5432/name. Percent-encode special characters of the password, such as %23 for #",
    };
  },
};

/** Returns the URL of a database with its password replaced, and any other value as it is. */
export function withoutPassword(value: unknown): unknown {
  if (typeof value !== "string" || !isPostgres(value)) return value;
  const url = URL.parse(value);
  if (url === null) return "postgres://(hidden)";
  if (url.password !== "") url.password = "hidden";
  if (url.searchParams.has("password")) url.searchParams.set("password", "hidden");
  return url.href;
}
