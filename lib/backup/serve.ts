import { createServer, type Server } from "node:http";
import { metricsText } from "./metrics.ts";
import { assess, type BackupStatus } from "./status.ts";

/**
 * Answers `/healthz` as long as the program runs, whether backups succeed or not: a restart would not fix them.
 * `/status` is the status file with its present assessment, `/metrics` the same for Prometheus.
 */
export async function serve(listen: { address: string; port: number }, status: () => BackupStatus): Promise<Server> {
  const pages: Readonly<Record<string, () => string>> = {
    "/healthz": () => "ok\n",
    "/status": () => `${JSON.stringify({ ...status(), ...assess(status(), new Date()) }, null, 2)}\n`,
    "/metrics": () => metricsText(status(), new Date()),
  };
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ""];
    const type = request.url === "/status" ? "application/json" : "text/plain; version=0.0.4; charset=utf-8";
    response.writeHead(page === undefined ? 404 : 200, { "content-type": type }).end(page?.() ?? "not found\n");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(listen.port, listen.address, resolve);
  });
  return server;
}
