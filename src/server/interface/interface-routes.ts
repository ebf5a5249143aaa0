import type { Handler } from "../../platform/call.ts";
import type { OperationId } from "../../api/operations.ts";
import type { QuickRoutes } from "../quick-routes.ts";
import type { Worlds } from "../../worlds/worlds.ts";
import { handlers } from "../../platform/catalog.ts";
import { operationRoute } from "./operation-route.ts";
import { operations } from "../../api/operations.ts";
import { withCallFaults } from "./call-faults.ts";
import { tokenEndpoint } from "./token-endpoint.ts";

/** Mounts the platform's interface: each operation where `interface/operations.ts` says it is. */
export function mountInterface(app: QuickRoutes, worlds: Worlds): void {
  for (const path of ["/oauth2/v2.0/token", "/:tenant/oauth2/v2.0/token", "/oauth/token"]) {
    app.on("POST", path, withCallFaults(worlds, operations.issueToken, tokenEndpoint(worlds)));
  }
  for (const [operationId, handler] of Object.entries(handlers)) {
    const operation = operations[operationId as OperationId];
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(
      operation.method,
      path,
      withCallFaults(
        worlds,
        operation,
        operationRoute(worlds, { operation, handler: handler as Handler<unknown, unknown> }),
      ),
    );
  }
}
