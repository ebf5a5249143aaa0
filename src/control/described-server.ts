import { DEFAULT_SERVER, type DescribedServer } from "../api/openapi-document.ts";
import type { World } from "./endpoint.ts";
import { companiesOf } from "./worlds.ts";
import { localDate } from "../countries/brazil/calendar.ts";

/** Returns the server of a served document: the address of the request, and a token and the day of the world. */
export function describedServer(world: World | undefined, address: string): DescribedServer {
  const { origin: url } = new URL(address);
  if (world === undefined) return { ...DEFAULT_SERVER, url };
  const [company] = companiesOf(world);
  return { url, token: company?.token ?? DEFAULT_SERVER.token, today: localDate(world.now) };
}
