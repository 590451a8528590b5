/** A member of etcd whose data are on a disk of their own, which is a tmpfs of a real systemd host here. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { EtcdClient } from "../../lib/etcd/client.ts";
import { EtcdKeys } from "../../lib/etcd/keys.ts";
import { closeHosts, hostAt } from "../../lib/hosts/hosts.ts";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { provider as membership } from "../../providers/etcd-membership-impl.ts";
import { provider as preflight } from "../../providers/host-preflight-impl.ts";
import { provider as prepared } from "../../providers/host-prepared-process-impl.ts";
import { provider as programs } from "../../providers/host-programs-impl.ts";
import { beginRun } from "../../providers/still-declared.ts";
import { createAuthority, type Authority, type Leaf } from "../support/certificates.ts";
import { fingerprintOf } from "../support/host-fingerprint.ts";
import { hasLab, Lab, type LabHost } from "../support/nspawn-lab.ts";
import { programPath } from "../support/programs.ts";
import { usualSettings } from "../support/etcd-inputs.ts";

const describeLab = hasLab() ? describe : describe.skip;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as the engine hands it over
type State = any;

const directory = "/mnt/etcd";
const usual = "/var/lib/karmada/etcd-0";

/** Each test goes on where the one before has left it. */
describeLab("data of etcd on a disk of their own", () => {
  let lab: Lab;
  let machine: LabHost;
  let before: string;
  let authority: Authority;
  let leaf: Leaf;
  let client: EtcdClient;
  let sha256: string;
  let sent: State;
  let state: State;
  let cluster: State;

  beforeAll(async () => {
    const source = await programPath("etcd");
    sha256 = createHash("sha256").update(readFileSync(source)).digest("hex");
    authority = await createAuthority("etcd");
    lab = new Lab(18);
    machine = await lab.add(1);
    leaf = await authority.issue({ commonName: "etcd", hosts: [machine.ip, "127.0.0.1"] });
    client = new EtcdClient({ ca: authority.certificate, ...leaf });
    before = await fingerprintOf(machine);
    sent = (await programs.create({ host: machine.address, programs: { etcd: sha256 }, sources: { etcd: source } }))
      .outs;
  }, 300_000);
  afterAll(async () => {
    client?.close();
    closeHosts();
    await lab?.stop();
  }, 60_000);

  const ask = (script: string) => hostAt(machine.address).run("asking", script);
  const show = (property: string) => ask(`systemctl show karmada-etcd-0 -p ${property} --value`);
  const url = (port: number) => `https://${machine.ip}:${port}`;
  const keys = () => new EtcdKeys(client, url(2379));

  const inputs = (change: object) => ({
    host: machine.address,
    name: "etcd-0",
    component: "etcd",
    program: "etcd",
    programSha256: sha256,
    args: [
      "--name=etcd-0",
      ...[`--listen-client-urls=${url(2379)}`, `--advertise-client-urls=${url(2379)}`],
      ...[`--listen-peer-urls=${url(2380)}`, `--initial-advertise-peer-urls=${url(2380)}`],
      ...["", "peer-"].flatMap((side) => [
        `--${side}client-cert-auth=true`,
        `--${side}trusted-ca-file=/etc/karmada/etcd-0/ca.crt`,
        `--${side}cert-file=/etc/karmada/etcd-0/tls.crt`,
        `--${side}key-file=/etc/karmada/etcd-0/tls.key`,
      ]),
    ],
    env: { GOMAXPROCS: "1" },
    contents: { "ca.crt": authority.certificate, "tls.crt": leaf.certificate, "tls.key": leaf.key },
    stopSeconds: 10,
    notifies: true,
    ...change,
  });
  const prepare = async (change: object) => {
    const { inputs: checked, failures } = await prepared.check(state ?? {}, inputs(change));
    expect(failures).toEqual([]);
    state = (await (state === undefined ? prepared.create(checked) : prepared.update("id", state, checked))).outs;
  };
  const drift = async () => (await prepared.read("id", state)).props?.["drift"] as string[] | undefined;
  const bring = async () => {
    const news = {
      token: "prod",
      runtime: { kind: "hosts", members: { "etcd-0": machine.address }, hosts: [machine.address] },
      members: [{ name: "etcd-0", clientUrl: url(2379), peerUrl: url(2380), revision: state.revision }],
      ...usualSettings,
      ca: authority.certificate,
      ...leaf,
      timeoutSeconds: 60,
    };
    const { inputs: checked, failures } = await membership.check(cluster ?? {}, news);
    expect(failures).toEqual([]);
    cluster = (await (cluster === undefined ? membership.create(checked) : membership.update("id", cluster, checked)))
      .outs;
  };
  const kept = () => keys().get("/kept");

  test("need the directory that is named, and nothing in it of an earlier installation", async () => {
    const wanted = { address: machine.address, ports: {}, reached: [], etcd: true, etcdData: `${directory}/etcd-0` };
    const look = () => preflight.create({ deployment: "prod", hosts: { h1: wanted } });
    const refused = (why: string) =>
      expect(look()).rejects.toThrow(`the hosts cannot be used, nothing was changed:\nlab18h1 (${machine.ip}): ${why}`);
    await ask("mkdir -p /tmp/aside; mv /opt/karmada /tmp/aside");
    await refused(`has no directory ${directory} for etcd's data\nmount its disk there, or make it`);
    await ask(`mkdir -p ${directory}/etcd-0`);
    await refused(`something of an earlier installation is left: ${directory}/etcd-0`);
    await ask(`rm -r ${directory}/etcd-0; mount -t tmpfs -o size=1g none ${directory}`);
    await refused(`${directory}/etcd-0: 1.0Gi free, want 2.0Gi`);
    await ask(`umount ${directory}; mount -t tmpfs -o size=4g none ${directory}`);
    // As that of all data, where it is a disk of its own.
    await ask("mkdir -p /var/lib/karmada/lost+found /var/lib/karmada/etcd-0");
    await refused("something of an earlier installation is left: /var/lib/karmada");
    await ask("rmdir /var/lib/karmada/etcd-0");
    const { outs } = await look();
    await preflight.delete("id", outs!);
    await ask("rm -r /var/lib/karmada; mv /tmp/aside/karmada /opt/karmada");
  }, 60_000);

  test("are at their usual place first; then the member comes to its disk as it is told, as systemd and the kernel have it", async () => {
    await prepare({});
    await bring();
    await keys().putIfAbsent("/kept", "of before");
    expect(await ask(`readlink ${usual} || echo none`)).toBe("none\n");
    await prepare({ unitSettings: { IOSchedulingClass: ["realtime"], IOSchedulingPriority: ["3"] } });
    await bring();
    expect([await show("IOSchedulingClass"), await show("IOSchedulingPriority")]).toEqual(["1\n", "3\n"]);
    expect(await ask(`ionice -p ${await show("MainPID")}`)).toBe("realtime: prio 3\n");
    await prepare({ unitSettings: { IOSchedulingClass: ["best-effort"], IOSchedulingPriority: ["0"] } });
    await bring();
    expect(await ask(`ionice -p ${await show("MainPID")}`)).toBe("best-effort: prio 0\n");
  }, 120_000);

  test("are never left behind: the change is refused, in its preview too, with what moves them, the member serves on, and afterwards has them", async () => {
    const pid = await show("MainPID");
    const move = `systemctl stop karmada-etcd-0.service && mv ${usual} ${directory}/etcd-0 && ln -sfnT ${directory}/etcd-0 ${usual}`;
    const refusal = (doing: string) =>
      [
        `lab18h1 (${machine.ip}): ${doing}: exit code 1: its data are in ${usual}, want ${directory}/etcd-0`,
        `move them, one member after another, then run up again: ${move}`,
      ].join("\n");
    const { inputs: checked, failures } = await prepared.check(state, inputs({ dataDirectory: directory }));
    expect(failures).toEqual([{ property: "dataDirectory", reason: refusal("looking for the data of etcd-0") }]);
    await expect(prepared.update("id", state, checked)).rejects.toThrow(refusal("preparing etcd-0"));
    expect(await show("MainPID")).toBe(pid);
    expect(await kept()).toBe("of before");
    await ask(move);
    await prepare({ dataDirectory: directory });
    await bring();
    expect(await kept()).toBe("of before");
    expect(await ask(`stat -c '%U %a' ${directory}/etcd-0; ls ${directory}/etcd-0; readlink ${usual}`)).toBe(
      `karmada-etcd 700\n1\n${directory}/etcd-0\n`,
    );
    expect(await ask(`readlink /proc/${(await show("MainPID")).trim()}/fd/* | grep -c ^${directory}/`)).not.toBe("0\n");
    expect(await drift()).toBeUndefined();
  }, 120_000);

  test("are not begun anew while their disk is away, and are gone on with once it is back", async () => {
    await ask(
      `systemctl stop karmada-etcd-0; mkdir /mnt/away; mount --bind ${directory} /mnt/away; umount ${directory}`,
    );
    await ask("systemctl start --no-block karmada-etcd-0");
    await waitFor("the refusal", deadlineIn(30), async () => {
      const log = await ask("journalctl -u karmada-etcd-0 -n 20 -o cat --no-pager");
      if (!/is gone|Failed to set up mount namespacing/.test(log)) throw new Error(log);
    });
    expect(await drift()).toEqual([`its directory of data is gone: ${directory}/etcd-0`]);
    expect(await ask(`ls -A ${directory}`)).toBe("");
    await ask(`mount --bind /mnt/away ${directory}; umount /mnt/away; rmdir /mnt/away`);
    await waitFor("the data", deadlineIn(30), async () => expect(await kept()).toBe("of before"));
  }, 120_000);

  test("go with the member, and the disk is left empty", async () => {
    beginRun();
    await membership.delete("id", cluster);
    await prepared.delete("id", state);
    await programs.delete("id", sent);
    expect(await ask(`ls -A ${directory}; umount ${directory}; rm -r ${directory} /tmp/aside`)).toBe("");
    expect(await fingerprintOf(machine)).toBe(before);
  }, 60_000);
});
