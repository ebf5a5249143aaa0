import { describe, expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../src/library/sandbox.ts";
import { execFileSync, spawn } from "node:child_process";
import { findProgram } from "../find-program.ts";
import { freePort } from "../free-port.ts";
import { join } from "node:path";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import type { IncomingMessage } from "node:http";
import { orderBody } from "../simulator/platform/orders/asking.ts";
import { tmpdir } from "node:os";

const program = findProgram("nginx");

/** Starts nginx with TLS in front of a sandbox, and returns its address and its certificate. */
async function startProxy(port: number, to: number): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-nginx-"));
  const names = ["-keyout", join(folder, "k.pem"), "-out", join(folder, "c.pem")];
  const flags = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
  const alternative = ["-addext", "subjectAltName=DNS:localhost"];
  execFileSync("openssl", ["req", ...flags, ...alternative, ...names], { stdio: "pipe" });
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (one) => `${one}_temp_path ${folder};`,
  );
  writeFileSync(
    join(folder, "nginx.conf"),
    `worker_processes 1; daemon off; pid nginx.pid; error_log ${folder}/error.log;
events { worker_connections 256; }
http { access_log off; ${paths.join(" ")}
  server { listen 127.0.0.1:${port} ssl http2; ssl_certificate c.pem; ssl_certificate_key k.pem;
    location / { proxy_pass http://127.0.0.1:${to}; proxy_set_header Host $http_host; proxy_set_header X-Forwarded-Proto https; } } }
`,
  );
  const child = spawn(program!, ["-p", folder, "-e", join(folder, "error.log"), "-c", "nginx.conf"]);
  onTestFinished(() => {
    child.kill("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  });
  return readFileSync(join(folder, "c.pem"));
}

describe.skipIf(program === undefined)(
  "behind nginx with TLS, which the Debian package nginx-light has,",
  () => {
    test("the documents, the pages and the links in answers begin with the public address", async () => {
      const publicPort = await freePort();
      const origin = `https://localhost:${publicPort}`;
      await using sandbox = await createSandbox({ origin });
      const { url } = await sandbox.listen();
      const ca = await startProxy(publicPort, Number(new URL(url).port));
      async function read(path: string, init: { method?: string; body?: string } = {}): Promise<string> {
        const headers = { authorization: "Bearer acme-token", "idempotency-key": "k" };
        const sent = request(origin + path, { ca, headers, family: 4, ...init });
        sent.end(init.body);
        const [answer] = (await once(sent, "response")) as [IncomingMessage];
        return text(answer);
      }
      await expect
        .poll(() => read("/sandbox/health").catch((error: Error) => error.message))
        .toContain('"ok"');
      for (const path of ["/openapi.json", "/sandbox/openapi.json", "/docs", "/llms.txt"]) {
        const document = await read(path);
        expect([path, document.includes(origin), document.includes(url)]).toEqual([path, true, false]);
      }
      const body = JSON.stringify(orderBody("CASHSTORE", { externalId: "behind-nginx" }));
      expect(await read("/order/v2/transparent", { method: "PUT", body })).toContain(`"${origin}/pay/`);
    });
  },
);
