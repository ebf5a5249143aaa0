import { controlClient } from "./client.js";

/** Returns the client of a sandbox in this process. Its requests have no port, so the address has only a form. */
export function localClient(
  sandbox: { readonly fetch: (request: Request) => Promise<Response> },
  { adminToken }: { readonly adminToken?: string | undefined } = {},
): ReturnType<typeof controlClient> {
  return controlClient({ url: "http://localhost", fetch: (request) => sandbox.fetch(request), adminToken });
}
