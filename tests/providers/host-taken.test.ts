import { readFileSync } from "node:fs";
import type { HostAddress } from "../../lib/hosts/address.ts";
import { provider as preflight } from "../../providers/host-preflight-impl.ts";
import { fingerprintOf } from "../support/host-fingerprint.ts";
import { labHost } from "../support/lab-host.ts";
import { hasLab } from "../support/nspawn-lab.ts";

const describeLab = hasLab() ? describe : describe.skip;
const anotherKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ";

describeLab("a host that is looked at before a deployment takes it", () => {
  const { machine, ask } = labHost(68);
  const host = (): HostAddress => machine().address;
  let before: string;
  beforeAll(async () => {
    before = await fingerprintOf(machine());
  });

  test("takes the host, once nothing speaks against it", async () => {
    const hosts = { lab68h1: { address: host(), ports: { "etcd-0 client": 2379 }, reached: [2379], etcd: true } };
    const inputs = { deployment: "prod", hosts };
    const began = Date.now();
    const { outs } = await preflight.create(inputs);
    expect(outs).toMatchObject({ systems: { lab68h1: "debian 12" } });
    const { firstTakenAt } = outs as { firstTakenAt: number };
    expect(firstTakenAt).toBeGreaterThanOrEqual(began);
    expect(firstTakenAt).toBeLessThanOrEqual(Date.now());
    // Taken again it is as old as before; by a run that knows nothing of one that was cut off it is not new.
    expect((await preflight.update("id", outs!, inputs)).outs).toMatchObject({ firstTakenAt });
    expect((await preflight.create(inputs)).outs).not.toHaveProperty("firstTakenAt");
    expect(await ask("cat /etc/karmada/deployment")).toBe("prod");
    await expect(preflight.create({ deployment: "dev", hosts })).rejects.toThrow(
      `the hosts cannot be used, nothing was changed:\nlab68h1 (${machine().ip}): deployment "prod" has it\ndestroy that one first, or use another host`,
    );
    // What a state that was lost, or is another's, has no idea of is not overwritten; what has been ended may be.
    await ask("systemd-run --quiet --unit=karmada-etcd-0 sleep infinity");
    await expect(preflight.create(inputs)).rejects.toThrow(
      `lab68h1 (${machine().ip}): deployment "prod" runs there already (karmada-etcd-0.service), and the state of this stack knows nothing of that\nuse the state it was made with`,
    );
    await preflight.update("id", outs!, inputs);
    const renamed = { h1: { ...hosts.lab68h1, address: { ...host(), name: "h1" } } };
    const { outs: now } = await preflight.update("id", outs!, { ...inputs, hosts: renamed });
    expect(await ask("cat /etc/karmada/deployment")).toBe("prod");
    expect(Object.keys((now as { taken: object }).taken)).toEqual(["h1"]);
    await ask("systemctl stop karmada-etcd-0");
    await preflight.create(inputs);
  });

  test("says all that speaks against all hosts at once, and changes nothing", async () => {
    await ask("rm -r /etc/karmada");
    // While it boots, as it may here, a system lets only root in.
    await ask("systemctl start systemd-user-sessions");
    await ask("useradd -m guest; cp -r /root/.ssh /home/guest/; chown -R guest: /home/guest");
    const untouched = await fingerprintOf(machine());
    const other = (name: string, change: object) => {
      const address = { ...host(), name, ...change } as HostAddress;
      return { [name]: { address, ports: {}, reached: [2380], etcd: false } };
    };
    const failed = preflight.create({
      deployment: "prod",
      hosts: {
        h1: { address: host(), ports: { ssh: 22 }, reached: [], etcd: false },
        ...other("h2", { address: "10.88.68.99" }),
        ...other("h3", { user: "nobody" }),
        ...other("h4", { user: "guest" }),
        ...other("h5", { hostKey: anotherKey }),
      },
    });
    const message = await failed.catch((error: Error) => error.message);
    const found = String(message).split(/\n(?=\w+ \([\d.]+\): )/);
    const [ip, shown] = [machine().ip.replaceAll(".", "\\."), "SHA256:\\S+"];
    const expected = [
      "^the hosts cannot be used, nothing was changed:$",
      "^h2 \\(10\\.88\\.68\\.99\\): asking for its time: waited 15s for a login: (.*EHOSTUNREACH|no answer from)",
      `^h3 \\(${ip}\\): asking for its time: ${ip}:22 does not let user "nobody" in: tried a private key$`,
      `^h4 \\(${ip}\\): asking for its time: sudo: a password is required\nlet user "guest" run everything without a password`,
      `^h5 \\(${ip}\\): asking for its time: ${ip}:22 shows another host key: got ${shown} \\(ssh-ed25519\\), want ${shown}\n`,
      `^lab68h1 \\(${ip}\\): port 22 \\(ssh\\) is in use by sshd \\(pid \\d+\\)$`,
      `^lab68h1 \\(${ip}\\): cannot reach 10\\.88\\.68\\.99:2380: `,
    ];
    expect(found).toEqual(expected.map((each) => expect.stringMatching(new RegExp(each))));
    expect(await fingerprintOf(machine())).toBe(untouched);
    // Its login is open still.
    await ask("userdel -rf guest 2>/dev/null");
    expect(await fingerprintOf(machine())).toBe(before);
  }, 60_000);

  test("is found to be one machine that goes by two names", async () => {
    await ask("ip addr add 10.88.68.77/24 dev host0");
    const wanted = (name: string, address: string) => {
      const other = { ...host(), name, address } as HostAddress;
      return { [name]: { address: other, ports: {}, reached: [], etcd: false } };
    };
    const hosts = { ...wanted("h1", machine().ip), ...wanted("h2", "10.88.68.77") };
    const id = readFileSync(machine().path("/etc/machine-id"), "utf8").trim();
    await expect(preflight.create({ deployment: "prod", hosts })).rejects.toThrow(
      `the hosts cannot be used, nothing was changed:\nh2 (10.88.68.77): is the same machine as h1 (${machine().ip}): both have the machine-id ${id}\n`,
    );
    await ask("ip addr del 10.88.68.77/24 dev host0");
    expect(await fingerprintOf(machine())).toBe(before);
  });
});
