import type { Route } from "../src/simulator/api/routes.ts";
import type { Worlds } from "../src/simulator/worlds/worlds.ts";
import { createApp } from "../src/library/app.ts";

/** Every route of the server. Its worlds are used by requests only, and there are none here. */
export function serverRoutes(): readonly Route[] {
  const unused = (): never => {
    throw new Error("There is no world to use.");
  };
  const { routes } = createApp(
    { worlds: {} as Worlds, servers: { id: "none", list: unused, unavailable: undefined, unready: unused } },
    {
      openStates: unused,
      recordingOf: unused,
      openScenarios: unused,
    },
  );
  return routes();
}
