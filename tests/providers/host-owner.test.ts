/** Whose a host is, on a real one: two who want it at once, one who had it before, and what is left when it is let go of. */
import type { HostAddress } from "../../lib/hosts/address.ts";
import { provider as preflight } from "../../providers/host-preflight-impl.ts";
import { provider as processes } from "../../providers/host-process-impl.ts";
import { beginRun } from "../../providers/still-declared.ts";
import { fingerprintOf } from "../support/host-fingerprint.ts";
import { labHost } from "../support/lab-host.ts";
import { hasLab, type LabHost } from "../support/nspawn-lab.ts";
import { said } from "../support/said.ts";
import { idleProcess } from "./support/idle-process.ts";

const describeLab = hasLab() ? describe : describe.skip;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as the engine hands it over
type State = any;

describeLab("a host", () => {
  const { machine: theHost, ask } = labHost(27);
  let machine: LabHost;
  let before: string;

  beforeAll(async () => {
    machine = theHost();
    before = await fingerprintOf(machine);
  });

  const label = () => `lab27h1 (${machine.ip})`;
  const take = async (deployment: string): Promise<State> => {
    const hosts = { lab27h1: { address: machine.address, ports: {}, reached: [], etcd: false } };
    return (await preflight.create({ deployment, hosts })).outs;
  };
  /** What a run of pulumi makes of it whose list has these hosts. */
  const change = async (state: State, ...addresses: readonly HostAddress[]): Promise<State> => {
    const wanted = addresses.map(
      (address) => [address.name, { address, ports: { some: 7777 }, reached: [], etcd: false }] as const,
    );
    const { inputs } = await preflight.check(state, {
      deployment: "prod",
      hosts: Object.fromEntries(wanted),
      left: {},
    });
    return (await preflight.update("id", state, inputs)).outs;
  };
  const begin = async (name: string, change: object = {}): Promise<State> => {
    const declared = { name, component: name, deployment: "prod", contents: { file: "x" }, ...change };
    return (await processes.create(await idleProcess(machine.address, declared))).outs;
  };
  const active = (name: string) => ask(`systemctl is-active karmada-${name} || true`);

  test("goes to one of two deployments that want it at once, and the other is told who has it", async () => {
    const names = ["prod", "dev"];
    const ends = await Promise.allSettled(names.map(take));
    const owner = await ask("cat /etc/karmada/deployment");
    const lost = ends.flatMap((end) =>
      end.status === "rejected" ? [end.reason as Error & { properties?: State }] : [],
    );
    expect(lost).toHaveLength(1);
    expect(names.filter((_, i) => ends[i]!.status === "fulfilled")).toEqual([owner]);
    // By the one that comes later, or that looks so late that it sees so.
    expect(lost[0]!.message).toMatch(
      new RegExp(
        `${label().replace(/[()]/g, "\\$&")}: (taking it: exit code 1: )?deployment "${owner}" has it\ndestroy that one first, or use another host$`,
      ),
    );
    // What the other had half taken is not its to let go of.
    await preflight.delete("id", lost[0]!.properties);
    expect(await ask("cat /etc/karmada/deployment")).toBe(owner);
    await ask("rm -r /etc/karmada");
    expect(await fingerprintOf(machine)).toBe(before);
  }, 60_000);

  test("stays taken when it only gets another name", async () => {
    const taken = await take("prod");
    const renamed = { address: { ...machine.address, name: "h1" }, ports: {}, reached: [], etcd: false };
    const { outs } = await preflight.update("id", taken, { deployment: "prod", hosts: { h1: renamed } });
    expect(await ask("cat /etc/karmada/deployment")).toBe("prod");
    await preflight.delete("id", outs as State);
    expect(await fingerprintOf(machine)).toBe(before);
  }, 60_000);

  test("is taken again when it comes back to the list before what it has was removed, and when its mark was deleted", async () => {
    const taken = await take("prod");
    const state = await begin("idle");
    await ask("systemd-run --quiet --unit=karmada-listening systemd-socket-activate -l 7777 sleep infinity");
    // An `up` that takes it off the list and then is cut off.
    const without = await change(taken);
    expect(await ask("cat /etc/karmada/deployment || true")).toBe("");
    const back = await change(without, machine.address);
    expect(await ask("cat /etc/karmada/deployment")).toBe("prod");
    await ask("rm /etc/karmada/deployment");
    expect((await preflight.read("id", back)).props?.["drift"]).toEqual([`${label()}: it belongs to nobody any more`]);
    const again = await change(back, machine.address);
    expect([await ask("cat /etc/karmada/deployment"), await active("idle")]).toEqual(["prod", "active\n"]);
    // Of whom no state knows is not taken so.
    await ask("rm /etc/karmada/deployment");
    await expect(take("prod")).rejects.toThrow(
      `${label()}: something of an earlier installation is left: /etc/karmada, `,
    );
    const marked = await change(again, machine.address);
    await ask("systemctl stop karmada-listening");
    beginRun();
    await processes.delete("id", state);
    await preflight.delete("id", marked);
    expect(await fingerprintOf(machine)).toBe(before);
  }, 60_000);

  test("keeps what its deployment has there, whoever had the host before changes or removes processes of the same names", async () => {
    const taken = await take("prod");
    const state = await begin("idle");
    beginRun();
    await ask("echo dev >/etc/karmada/deployment");
    expect(await said(() => processes.delete("id", state))).toEqual([
      `${label()}: idle: deployment "dev" has the host, nothing there is removed`,
    ]);
    expect(await active("idle")).toBe("active\n");
    const refusal = 'exit code 1: deployment "dev" has it\ndestroy that one first, or use another host';
    const { inputs } = await processes.check(state, { ...state, files: undefined, contents: { file: "y" } });
    await expect(processes.update("id", state, inputs)).rejects.toThrow(`${label()}: setting up idle: ${refusal}`);
    await expect(begin("other")).rejects.toThrow(`${label()}: setting up other: ${refusal}`);
    await ask("echo prod >/etc/karmada/deployment");
    beginRun();
    await processes.delete("id", state);
    await preflight.delete("id", taken);
    expect(await fingerprintOf(machine)).toBe(before);
  }, 60_000);

  test("is let go of with what an up that was killed was just making there, which is said", async () => {
    const taken = await take("prod");
    await begin("idle");
    await ask(
      "install -d -m 750 -g karmada-idle /etc/karmada/half; touch /etc/systemd/system/karmada-half.service.new",
    );
    await ask("useradd --system --no-create-home --home-dir / --shell /usr/sbin/nologin karmada-none");
    expect(await said(() => preflight.delete("id", taken))).toEqual([
      `${label()}: removed what was in no state: half, idle`,
    ]);
    expect(await ask("pgrep -x sleep || true")).toBe("");
    expect(await fingerprintOf(machine)).toBe(before);
  }, 60_000);

  test("is let go of with the programs that an up that was killed was sending, whole ones and parts, which is said", async () => {
    const taken = await take("prod");
    const [whole, part] = ["a", "b"].map((digit) => `/opt/karmada/${digit.repeat(64)}`) as [string, string];
    await ask(`mkdir -p ${whole} ${part} /opt/karmada/tools; touch ${whole}/etcd ${whole}/etcd.verified`);
    await ask(`touch ${part}/kube-apiserver.4711 /opt/karmada/tools/others`);
    expect(await said(() => preflight.delete("id", taken))).toEqual([
      `${label()}: removed what was in no state: ${whole}/etcd, ${part}/kube-apiserver.4711`,
    ]);
    expect(await ask("find /opt/karmada -mindepth 1; rm -r /opt/karmada")).toBe(
      "/opt/karmada/tools\n/opt/karmada/tools/others\n",
    );
    expect(await fingerprintOf(machine)).toBe(before);
  }, 60_000);

  test("stays taken while there are data of etcd that are in no state, with the command that removes them", async () => {
    const taken = await take("prod");
    await ask("mkdir -p /mnt/etcd");
    for (const [name, change] of [
      ["etcd-0", {}],
      ["etcd-events-0", { dataDirectory: "/mnt/etcd" }],
    ] as const) {
      await begin(name, { component: "etcd", ...change });
      await ask(`mkdir /var/lib/karmada/${name}/1`);
    }
    const [first, second] = ["/var/lib/karmada/etcd-0", "/mnt/etcd/etcd-events-0"];
    const message = await preflight.delete("id", taken).catch((error: Error) => error.message);
    const command = `systemctl disable --now karmada-etcd-0.service; rm -r ${first}; systemctl disable --now karmada-etcd-events-0.service; rm -r ${second}`;
    expect(String(message).split("\n")).toEqual([
      `${label()}: letting go of it: data of etcd are there that are in no state: ${first}, ${second}`,
      `if they may go, run there: ${command}`,
      "then destroy again",
    ]);
    expect(await ask("cat /etc/karmada/deployment")).toBe("prod");
    expect([await active("etcd-0"), await ask(`ls ${second}`)]).toEqual(["active\n", "1\n"]);
    await ask(command);
    await said(() => preflight.delete("id", taken));
    await ask("rmdir /mnt/etcd");
    expect(await fingerprintOf(machine)).toBe(before);
  }, 60_000);

  test("is let go of with what others have put there, which stays and is named", async () => {
    const taken = await take("prod");
    await ask("echo remember >/etc/karmada/notes; mkdir -p /var/lib/karmada/lost+found");
    expect(await said(() => preflight.delete("id", taken))).toEqual([
      `warning: ${label()}: not made by this deployment, and left there: /etc/karmada/notes\nanother deployment does not take the host before it is gone`,
    ]);
    expect(await ask("cat /etc/karmada/notes; rm -r /etc/karmada /var/lib/karmada")).toBe("remember\n");
    expect(await fingerprintOf(machine)).toBe(before);
  }, 60_000);

  test("whose disk is full says which file could not be written, and has nothing left of a claim", async () => {
    const fill = (path: string) => `dd if=/dev/zero of=${path}/fill bs=4k 2>/dev/null || true`;
    await ask(`cp -a /etc /root/etc; mount -t tmpfs -o size=8m none /etc; cp -a /root/etc/. /etc; ${fill("/etc")}`);
    const cannot = (path: string) => `${path}: cannot be written, 0Mi free: make room there, and run the same again`;
    await expect(take("prod")).rejects.toThrow(cannot("/etc/karmada.new/deployment"));
    expect(await ask("ls -d /etc/karmada* || true")).toBe("");
    await ask("umount -l /etc; rm -r /root/etc");
    const taken = await take("prod");
    await ask(
      `mount -t tmpfs -o size=40k none /etc/karmada; echo prod >/etc/karmada/deployment; ${fill("/etc/karmada")}`,
    );
    await expect(begin("idle")).rejects.toThrow(cannot("/etc/karmada/idle/file"));
    expect(await ask("ls /etc/karmada/idle")).toBe("");
    await ask("rm /etc/karmada/fill");
    expect(await said(() => preflight.delete("id", taken))).toEqual([`${label()}: removed what was in no state: idle`]);
    await ask("umount /etc/karmada; rm -r /etc/karmada");
    expect(await fingerprintOf(machine)).toBe(before);
  }, 60_000);
});
