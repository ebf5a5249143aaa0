import { mustBeHttpUrl } from "../server/settings/setting-types.ts";

/** Splits the address of a broker into the address itself, which may be printed, and its name and password. */
export function brokerAddress(address: string): {
  readonly url: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
} {
  const url = new URL(URL.canParse(address) ? address : mustBeHttpUrl("--broker", address));
  const { username, password } = url;
  if (username === "" && password === "") {
    mustBeHttpUrl("--broker", address);
    return { url: address, username: undefined, password: undefined };
  }
  url.username = "";
  url.password = "";
  return {
    url: mustBeHttpUrl("--broker", url.href).replace(/\/$/, ""),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}
