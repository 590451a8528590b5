import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dataVariable } from "../../lib/etcd/bootstrap-variables.ts";
import { closeHosts, hostAt } from "../../lib/hosts/hosts.ts";
import { installPrepared, preparedFiles } from "../../lib/hosts/prepared.ts";
import { replaceFile } from "../../lib/hosts/replace-files.ts";
import { provider as preflight } from "../../providers/host-preflight-impl.ts";
import { provider as prepared } from "../../providers/host-prepared-process-impl.ts";
import { provider as processes } from "../../providers/host-process-impl.ts";
import { provider as programs } from "../../providers/host-programs-impl.ts";
import { beginRun } from "../../providers/still-declared.ts";
import { fingerprintOf } from "../support/host-fingerprint.ts";
import { hasLab, Lab, type LabHost } from "../support/nspawn-lab.ts";

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as the engine hands it over
type State = any;

const describeLab = hasLab() ? describe : describe.skip;

/** A login of each host has another umask, by PAM. */
describeLab("hosts whose logins give new files other permissions than is usual", () => {
  let lab: Lab;
  let machines: LabHost[];
  let source: string;
  let sha256: string;
  const umasks = ["022", "077", "000"];

  beforeAll(async () => {
    lab = new Lab(20);
    machines = await Promise.all(umasks.map((_, i) => lab.add(i + 1)));
    for (const [i, machine] of machines.entries()) {
      await ask(machine, `echo 'session optional pam_umask.so umask=${umasks[i]}' >>/etc/pam.d/sshd`);
      // Until a host has started nobody but root is let in (pam_nologin(8)).
      await ask(machine, "timeout 60 sh -c 'while [ -e /run/nologin ]; do sleep 0.1; done'");
      await ask(machine, "useradd -m deployer; cp -r /root/.ssh ~deployer; chown -R deployer: ~deployer");
      machine.write("/etc/sudoers.d/deployer", "deployer ALL=(ALL) NOPASSWD: ALL\nDefaults umask=0000\n", 0o440);
    }
    closeHosts();
    source = join(lab.directory, "tool");
    writeFileSync(source, `#!/bin/sh\nexec sleep infinity\n`);
    sha256 = createHash("sha256").update(readFileSync(source)).digest("hex");
  }, 300_000);
  afterAll(async () => {
    closeHosts();
    await lab.stop();
  }, 60_000);

  const variables = `/etc/karmada/first/${preparedFiles.variables}`;
  const ask = (machine: LabHost, script: string) => hostAt(machine.address).run("asking", script);

  test("have the ones that their umask says", async () => {
    for (const [i, machine] of machines.entries()) {
      const asked = `sed -n 's/^Umask:\\s*0*//p' /proc/$(pgrep -f 'sshd: root@notty' | head -1)/status`;
      expect((await ask(machine, asked)).trim().padStart(3, "0")).toBe(umasks[i]);
    }
  });

  test.each(["root", "deployer"])(
    "get each file and directory as it is declared from %s",
    async (user) => {
      const made: string[] = [];
      for (const machine of machines) {
        const host = { ...machine.address, user };
        const before = await fingerprintOf(machine);
        const common = {
          ...{ host, component: "idle", program: "tool", programSha256: sha256, args: [], env: {}, stopSeconds: 5 },
          ...{ contents: { "a/b/file": "content", script: "x" }, fileModes: { script: "750" }, notifies: false },
        };
        const create = async (provider: State, inputs: object) => {
          const checked = (await provider.check({}, inputs)).inputs;
          return (await provider.create(checked)).outs as State;
        };
        const wanted = { address: host, ports: {}, reached: [], etcd: true };
        const taken = await create(preflight, { deployment: "prod", hosts: { [machine.name]: wanted } });
        const sent = await create(programs, { host, programs: { tool: sha256 }, sources: { tool: source } });
        const first = await create(prepared, { ...common, name: "first" });
        const started = replaceFile(variables, `${dataVariable}=/var/lib/karmada/first\n`, "640", "root:karmada-idle");
        await hostAt(host).run(
          "starting it",
          [started, installPrepared("first"), "systemctl start karmada-first"].join("\n"),
        );
        const probe = { kind: "active" };
        const second = await create(processes, { ...common, name: "second", probe, startSeconds: 20 });
        const places = "/etc/karmada /opt/karmada /var/lib/karmada /etc/systemd/system/karmada-*";
        made.push(
          await ask(machine, `find ${places} -printf '%p %m %u:%g\\n' | sort; systemctl is-active karmada-first`),
        );
        for (const [provider, state] of [
          [prepared, first],
          [processes, second],
        ] as const)
          expect((await provider.read("id", state)).props?.["drift"]).toBeUndefined();
        await ask(machine, "systemctl stop karmada-first");
        await prepared.delete("id", first);
        beginRun();
        await processes.delete("id", second);
        await programs.delete("id", sent);
        await preflight.delete("id", taken);
        expect(await fingerprintOf(machine)).toBe(before);
      }
      const expected = [
        ...["/etc/karmada 755 root:root", "/etc/karmada/deployment 644 root:root"],
        ...["first", "second"].flatMap((name) => [
          `/etc/karmada/${name} 750 root:karmada-idle`,
          `/etc/karmada/${name}/a 750 root:karmada-idle`,
          `/etc/karmada/${name}/a/b 750 root:karmada-idle`,
          `/etc/karmada/${name}/a/b/file 640 root:karmada-idle`,
          ...(name === "first"
            ? [`${variables} 640 root:karmada-idle`, "/etc/karmada/first/prepared.service 640 root:karmada-idle"]
            : []),
          `/etc/karmada/${name}/script 750 root:karmada-idle`,
        ]),
        ...["first", "second"].map((name) => `/etc/systemd/system/karmada-${name}.service 644 root:root`),
        "/opt/karmada 755 root:root",
        ...[`${sha256} 755`, `${sha256}/tool 755`, `${sha256}/tool.verified 644`].map(
          (each) => `/opt/karmada/${each} root:root`,
        ),
        ...["/opt/karmada/bin 755 root:root", "/opt/karmada/bin/first 777 root:root"],
        "/opt/karmada/bin/second 777 root:root",
        "/var/lib/karmada 755 root:root",
        ...["first", "second"].map((name) => `/var/lib/karmada/${name} 700 karmada-idle:karmada-idle`),
        "active",
      ].sort();
      for (const found of made) expect(found.trim().split("\n").sort()).toEqual(expected);
    },
    120_000,
  );
});
