import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startOf } from "../../../lib/supervisor/identity.ts";
import { prepareLayout, supervisorLayout } from "../../../lib/supervisor/layout.ts";
import { marker } from "../../../lib/supervisor/marker.ts";
import { checkPorts } from "../../../providers/local-process/check.ts";

const server = createServer().listen(0, "127.0.0.1");
let directory: string;
beforeAll(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), "karmada-check-")));
  prepareLayout(supervisorLayout(directory));
  if (!server.listening) await once(server, "listening");
});
afterAll(async () => {
  server.close();
  await rm(directory, { recursive: true });
});

test("a port is the process's own that a supervisor starts while it is asked, as after a reboot", async () => {
  const { port } = server.address() as AddressInfo;
  const etcd = { directory, name: "etcd-0", address: "127.0.0.1", ports: { client: port } };
  expect((await checkPorts(etcd, "none")).map(({ property }) => property)).toEqual(["ports"]);
  const asked = checkPorts(etcd, "none");
  startedMeanwhile("etcd-0", port);
  expect(await asked).toEqual([]);
});

test("a program of the deployment that outlives its directory is named as that, with the way back", async () => {
  const moved = join(directory, "moved");
  const listening =
    'process.title = "etcd"; require("net").createServer().listen(0, "127.0.0.1", function () { console.log(this.address().port) })';
  const left = spawn(process.execPath, ["-e", listening], { env: marker(moved, "etcd-0") });
  try {
    const port = Number(String((await once(left.stdout, "data"))[0]));
    const etcd = { directory: moved, name: "etcd-0", address: "127.0.0.1", ports: { client: port } };
    expect((await checkPorts(etcd, "none")).map(({ reason }) => reason)).toEqual([
      `etcd-0: port ${port} (client) on 127.0.0.1 is in use by etcd (pid ${left.pid})\n` +
        `it is of this deployment, left running when ${moved} was moved or deleted; ` +
        "move that back, or, where it is gone for good, stop it",
    ]);
    prepareLayout(supervisorLayout(moved));
    expect((await checkPorts(etcd, "none"))[0]!.reason).not.toContain("was moved or deleted");
  } finally {
    left.kill("SIGKILL");
  }
});

/** What a supervisor notes of a program, which here is this one. */
function startedMeanwhile(name: string, port: number): void {
  const { running, wanted } = supervisorLayout(directory);
  writeFileSync(join(wanted, `${name}.json`), JSON.stringify({ name, ports: [port] }));
  writeFileSync(join(running, `${name}.json`), JSON.stringify({ pid: process.pid, start: startOf(process.pid) }));
}
