/** Members on real hosts, of which one moves from one to the other. */
import type { HostAddress } from "../../../../lib/hosts/address.ts";
import { HostsEtcdRuntime } from "../../../../lib/etcd/runtime/hosts.ts";
import type { LeftHosts } from "../../../../lib/etcd/runtime/runtime.ts";
import { closeHosts, hostAt } from "../../../../lib/hosts/hosts.ts";
import { provider as prepared } from "../../../../providers/host-prepared-process-impl.ts";
import { hasLab, Lab } from "../../../support/nspawn-lab.ts";

const describeLab = hasLab() ? describe : describe.skip;

const member = "etcd-1";
const bootstrap = { token: "prod", state: "existing", initialCluster: "", incarnation: 2 } as const;

describeLab("a member that moves to another host", () => {
  let lab: Lab;
  let old: HostAddress;
  let now: HostAddress;

  beforeAll(async () => {
    lab = new Lab(38);
    [old, now] = (await Promise.all([lab.add(1), lab.add(2)])).map(({ address }) => address) as [
      HostAddress,
      HostAddress,
    ];
    for (const host of [old, now]) {
      const inputs = {
        ...{ host, name: member, component: "etcd", deployment: "prod", program: "/usr/bin/sleep", programSha256: "" },
        ...{ args: ["infinity"], env: {}, contents: { file: "x" }, notifies: false, stopSeconds: 5 },
      };
      await prepared.create((await prepared.check({}, inputs as never)).inputs);
    }
  }, 300_000);
  afterAll(async () => {
    closeHosts();
    await lab.stop();
  }, 60_000);
  beforeEach(async () => {
    await runtime(old).start(member, { ...bootstrap, state: "new", incarnation: 1 });
    await runtime(now).stop(member);
    expect(await states()).toEqual(["runs enabled", "ended disabled"]);
  });

  const ask = (at: HostAddress, script: string) => hostAt(at).run("asking", script);
  const runtime = (at: HostAddress, before?: HostAddress, left?: LeftHosts) =>
    new HostsEtcdRuntime(
      { members: { [member]: at }, hosts: [at], ...(left !== undefined && { left }) },
      before === undefined ? {} : { [member]: before },
    );
  /** On each host, whether it runs and whether it starts with the host. */
  const states = () => {
    const unit = `karmada-${member}.service`;
    const script = [
      `[ "$(systemctl show ${unit} -p MainPID --value)" = 0 ] && echo ended || echo runs`,
      `[ -e /etc/systemd/system/multi-user.target.wants/${unit} ] && echo enabled || echo disabled`,
    ];
    return Promise.all([old, now].map(async (at) => (await ask(at, script.join("\n"))).trim().split("\n").join(" ")));
  };

  test("is ended where it was when it is stopped", async () => {
    await runtime(now, old).stop(member);
    expect(await states()).toEqual(["ended disabled", "ended disabled"]);
  });

  test("is ended where it was before it starts, where a run was killed in between", async () => {
    await runtime(now, old).start(member, bootstrap);
    expect(await states()).toEqual(["ended disabled", "runs enabled"]);
  });

  test("is left alone on a host that another deployment has by now", async () => {
    await ask(old, "echo other >/etc/karmada/deployment");
    await runtime(now, old, { deployment: "prod", hosts: [old] }).stop(member);
    await ask(old, "rm /etc/karmada/deployment");
    expect(await states()).toEqual(["runs enabled", "ended disabled"]);
  });

  test("is not held up by a host that is gone", async () => {
    const gone = { ...old, address: "10.88.38.77" };
    const began = performance.now();
    await runtime(now, gone).stop(member);
    await runtime(now, gone).start(member, bootstrap);
    expect(performance.now() - began).toBeLessThan(40_000);
    expect((await states())[1]).toBe("runs enabled");
  }, 90_000);
});
