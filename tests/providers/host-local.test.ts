import { closeHosts, hostAt } from "../../lib/hosts/hosts.ts";
import { ensureProgram } from "../../lib/hosts/program.ts";
import { programPath } from "../../lib/hosts/layout.ts";
import { bundledProgram } from "../../lib/own-bundle.ts";
import { oneFile } from "../../toolchain/one-file.ts";
import { fingerprintOf } from "../support/host-fingerprint.ts";
import { hasLab, Lab, type LabHost } from "../support/nspawn-lab.ts";
import { declaredIdle } from "./support/idle-process.ts";

const describeLab = hasLab() ? describe : describe.skip;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as the engine hands it over
type State = any;

/** This program runs on the first of two hosts, which is "this machine" to it; the second it reaches by SSH. */
describeLab("a deployment that has this machine among its hosts", () => {
  let lab: Lab;
  let here: LabHost;
  let there: LabHost;
  let before: string[];
  let start: string;

  beforeAll(async () => {
    lab = new Lab(17);
    [here, there] = (await Promise.all([1, 2].map((number) => lab.add(number)))) as [LabHost, LabHost];
    const { node, args } = bundledProgram("lib/backup/main.ts");
    const program = programPath(node.sha256, node.name);
    await ensureProgram(hostAt(here.address), node, node.path);
    here.write("/root/local-host.mjs", oneFile("tests/support/local-host.ts"));
    start = ["/root/node", ...args, "/root/local-host.mjs"].join(" ");
    await ask(here, `mv ${program} /root/node && rm -r /opt/karmada`);
    before = await Promise.all([here, there].map(fingerprintOf));
  }, 300_000);
  afterAll(async () => {
    closeHosts();
    await lab.stop();
  }, 60_000);

  const ask = (host: LabHost, script: string) => hostAt(host.address).run("asking", script);
  const hosts = () => [{ kind: "local", name: here.name, address: here.ip }, there.address];
  const call = async (provider: string, method: string, ...args: (object | string)[]): Promise<State> => {
    here.write("/root/call.json", JSON.stringify({ provider, method, args }));
    return JSON.parse(await ask(here, `${start} /root/call.json`));
  };

  test("takes both, runs a program on each, finds what was changed there, and leaves nothing behind", async () => {
    const wanted = Object.fromEntries(
      hosts().map((address) => [address.name, { address, ports: { idle: 2379 }, reached: [2379], etcd: true }]),
    );
    const taken = (await call("preflight", "create", { deployment: "prod", hosts: wanted })).outs;
    expect(taken.systems).toEqual({ [here.name]: "debian 12", [there.name]: "debian 12" });
    const states: State[] = [];
    for (const host of hosts()) {
      const inputs = declaredIdle(host, { contents: { "a/file": "content" } });
      states.push((await call("process", "create", inputs)).outs);
    }
    for (const host of [here, there]) {
      expect(await ask(host, "systemctl is-active karmada-idle; cat /etc/karmada/idle/a/file")).toBe("active\ncontent");
      await ask(host, "echo other >/etc/karmada/idle/a/file");
    }
    for (const state of states) {
      expect((await call("process", "read", "id", state)).props.drift).toEqual(["file a/file was changed by hand"]);
      await call("process", "delete", "id", state);
    }
    await call("preflight", "delete", "id", taken);
    expect(await Promise.all([here, there].map(fingerprintOf))).toEqual(before);
  }, 120_000);
});
