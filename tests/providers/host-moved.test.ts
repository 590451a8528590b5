/** A host whose address changes, on real ones: the same machine keeps what it has, one that another replaces is let go of. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HostAddress } from "../../lib/hosts/address.ts";
import { HostsEtcdRuntime } from "../../lib/etcd/runtime/hosts.ts";
import { closeHosts, hostAt } from "../../lib/hosts/hosts.ts";
import { provider as preflight } from "../../providers/host-preflight-impl.ts";
import { provider as prepared } from "../../providers/host-prepared-process-impl.ts";
import { provider as processes } from "../../providers/host-process-impl.ts";
import { provider as programs } from "../../providers/host-programs-impl.ts";
import { beginRun } from "../../providers/still-declared.ts";
import { fingerprintOf } from "../support/host-fingerprint.ts";
import { hasLab, Lab, type LabHost } from "../support/nspawn-lab.ts";
import { said } from "../support/said.ts";
import { declaredIdle, idleProcess } from "./support/idle-process.ts";
import { sha256 } from "../../lib/sha256.ts";

const describeLab = hasLab() ? describe : describe.skip;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as the engine hands it over
type State = any;

const newAddress = "10.88.37.77";

describeLab("a host that another address is given", () => {
  let lab: Lab;
  let machine: LabHost;
  let another: LabHost;
  let before: string[];
  /** As it is called, at its old address and at its new one. */
  let old: HostAddress;
  let now: HostAddress;

  beforeAll(async () => {
    lab = new Lab(37);
    [machine, another] = await Promise.all([lab.add(1), lab.add(2)]);
    await ask(machine.address, `ip addr add ${newAddress}/24 dev host0`);
    before = await Promise.all([machine, another].map(fingerprintOf));
    old = { ...machine.address, name: "host1" };
    now = { ...old, address: newAddress };
  }, 300_000);
  afterAll(async () => {
    closeHosts();
    await lab.stop();
  }, 60_000);
  beforeEach(beginRun);

  const ask = (at: HostAddress, script: string) => hostAt(at).run("asking", script);
  const owner = (at: HostAddress) => ask(at, "cat /etc/karmada/deployment 2>/dev/null || true");
  const active = (name: string) => ask(old, `systemctl is-active karmada-${name} || true`);
  /** What a run of pulumi makes of a state whose list has one host by now. */
  const take = async (state: State, address: HostAddress): Promise<State> => {
    const hosts = { [address.name]: { address, ports: {}, reached: [], etcd: false } };
    const { inputs } = await preflight.check(state ?? {}, { deployment: "prod", hosts, left: {} });
    return (state === undefined ? await preflight.create(inputs) : await preflight.update("id", state, inputs)).outs;
  };
  const named = (name: string) => ({ name, component: name, deployment: "prod", contents: { file: "x" } });
  const checked = (host: HostAddress, name: string): Promise<State> => idleProcess(host, named(name));
  /** One that is only prepared has no probe. */
  const declared = (host: HostAddress, name: string): State => {
    const { probe: _, startSeconds: _seconds, ...inputs } = declaredIdle(host, named(name));
    return inputs;
  };
  const begin = async (host: HostAddress, name: string): Promise<State> =>
    (await processes.create(await checked(host, name))).outs;
  const prepare = async (host: HostAddress, name: string): Promise<State> => {
    const { inputs } = await prepared.check({}, declared(host, name));
    return (await prepared.create(inputs)).outs;
  };
  const tool = (host: HostAddress, text: string) => {
    const path = join(lab.directory, text);
    writeFileSync(path, text);
    const digest = sha256(readFileSync(path));
    return { host, programs: { tool: digest }, sources: { tool: path } };
  };
  const stays = (name: string) =>
    `host1 (${old.address}): ${name}: is declared there by host1 (${newAddress}), the same machine, so it stays as it is`;

  test("keeps what is declared on it, also in the run after one that was cut off, and nothing else", async () => {
    const taken = await take(undefined, old);
    const [idle, gone, member] = [await begin(old, "idle"), await begin(old, "gone"), await prepare(old, "member")];
    const first = (await programs.create(tool(old, "first"))).outs as State;
    const sent = (await programs.update("id", first, tool(old, "second"))).outs as State;

    beginRun();
    const moved = await take(taken, now);
    expect(await owner(old)).toBe("prod");
    const sentNow = (await programs.create(tool(now, "second"))).outs as State;
    const [idleNow, memberNow] = [await begin(now, "idle"), await prepare(now, "member")];
    expect(await said(() => processes.delete("id", idle))).toEqual([stays("idle")]);
    expect(await said(() => prepared.delete("id", member))).toEqual([stays("member")]);
    await processes.delete("id", gone);
    await programs.delete("id", sent);
    expect(await ask(old, "ls /etc/karmada; cat /opt/karmada/*/tool")).toBe("deployment\nidle\nmember\nsecond");

    beginRun();
    await processes.diff("id", idleNow, await checked(now, "idle"));
    expect(await said(() => processes.delete("id", idle))).toEqual([stays("idle")]);
    expect(await active("idle")).toBe("active\n");

    beginRun();
    await processes.delete("id", idleNow);
    await prepared.delete("id", memberNow);
    await programs.delete("id", sentNow);
    await preflight.delete("id", moved);
    expect(await fingerprintOf(machine)).toBe(before[0]);
  }, 120_000);

  test("keeps a member of etcd and its data under another name, which need not run just then", async () => {
    const member = await prepare(old, "member");
    await ask(old, "mkdir /var/lib/karmada/member/1");
    const renamed = { ...old, name: "node1" };
    beginRun();
    const { inputs } = await prepared.check({}, declared(renamed, "member"));
    expect(await prepared.diff("id", member, inputs)).toMatchObject({ replaces: ["host"], deleteBeforeReplace: true });
    expect(await said(() => prepared.delete("id", member))).toEqual([]);
    const { outs } = await prepared.create(inputs);
    expect(await ask(old, "ls /var/lib/karmada/member; ls /etc/karmada/member")).toBe("1\nfile\nprepared.service\n");
    beginRun();
    await prepared.delete("id", outs as State);
    expect(await ask(old, "ls /var/lib/karmada/member 2>/dev/null || true")).toBe("");
  }, 60_000);

  test("keeps it while nobody can say whether it is the same machine", async () => {
    const idle = await begin(old, "idle");
    const elsewhere = { ...idle, host: { ...old, address: "10.88.37.78" } };
    beginRun();
    await processes.diff("id", elsewhere, await checked(elsewhere.host, "idle"));
    await expect(processes.delete("id", idle)).rejects.toThrow(
      /^host1 \(10\.88\.37\.11\): removing idle from it: whether it is the same machine as host1 \(10\.88\.37\.78\) is not known, which cannot be reached: .*\nsee that it answers, and run the same again$/s,
    );
    expect(await active("idle")).toBe("active\n");
    beginRun();
    await processes.delete("id", idle);
  }, 60_000);

  test("has its members of etcd once, whichever address it is asked by", async () => {
    await ask(old, "mkdir -p /var/lib/karmada/etcd-0/1 /var/lib/karmada/etcd-1/1");
    await ask(another.address, "mkdir -p /var/lib/karmada/etcd-2/1");
    const left = { deployment: "prod", hosts: [old, another.address] };
    const runtime = new HostsEtcdRuntime({ members: { "etcd-0": now }, hosts: [now], left });
    const { members, unseen } = await runtime.former(["etcd-0", "etcd-1", "etcd-2"], ["etcd-0"]);
    await Promise.all([old, another.address].map((at) => ask(at, "rm -r /var/lib/karmada")));
    expect([members.map(({ label }) => label), unseen]).toEqual([["etcd-1", "etcd-2"], []]);
  });

  test("holds nothing up where nobody answers at the old address", async () => {
    const taken = await take(undefined, old);
    const idle = await begin(old, "idle");
    const dead = { ...old, address: "10.88.37.79" };
    const hosts = { host1: { ...taken.hosts.host1, address: dead } };
    beginRun();
    const began = performance.now();
    const replaced = { ...another.address, name: "host1" };
    const lines = await said(async () => {
      await take({ ...taken, hosts, taken: { host1: dead } }, replaced);
      await processes.delete("id", { ...idle, host: dead });
    });
    expect(performance.now() - began).toBeLessThan(40_000);
    expect(lines).toEqual([
      expect.stringMatching(
        /^warning: host1 \(10\.88\.37\.79\): cannot be reached: .*\nit is not waited for any longer/s,
      ),
    ]);
    beginRun();
    await processes.delete("id", idle);
    await preflight.delete("id", { ...taken, taken: { host1: old, other: replaced } });
  }, 60_000);

  test("is let go of where the new address is another machine's, which has what it had", async () => {
    const taken = await take(undefined, old);
    const idle = await begin(old, "idle");
    beginRun();
    const replaced = { ...another.address, name: "host1" };
    const moved = await take(taken, replaced);
    expect([await owner(old), await owner(replaced)]).toEqual(["", "prod"]);
    const idleNow = await begin(replaced, "idle");
    expect(await said(() => processes.delete("id", idle))).toEqual([]);
    expect(await fingerprintOf(machine)).toBe(before[0]);

    beginRun();
    await processes.delete("id", idleNow);
    await preflight.delete("id", moved);
    expect(await fingerprintOf(another)).toBe(before[1]);
  }, 60_000);
});
