/** Three empty hosts become a highly available Karmada behind one address, are damaged, lost, mended, and left as they were. */
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { hostAt } from "../../lib/hosts/hosts.ts";
import { storeDirectory } from "../../toolchain/index.ts";
import { slack } from "../support/etcd-load.ts";
import { fingerprintOf } from "../support/host-fingerprint.ts";
import { hasLab, type LabHost } from "../support/nspawn-lab.ts";
import { HostsDeployment } from "./support/hosts-deployment.ts";
import { allReady, eventually, type Kubectl, Kubectls } from "./support/kubectl.ts";
import { ApiSession } from "./support/load/api-session.ts";
import { Attendance } from "./support/load/attendance.ts";
import { Load } from "./support/load/index.ts";
import { Caller } from "./support/load/caller.ts";
import type { TestStack } from "./support/stack.ts";

interface Outputs {
  kubeconfig: string;
  endpoints: string[];
  etcd: { members: { name: string; healthy: boolean }[] };
  members: { name: string; ready: boolean }[];
}

/** Of a preview. */
interface Step {
  op: string;
  urn: string;
}

const describeLab = hasLab() ? describe : describe.skip;

describeLab("a Karmada on three hosts", () => {
  let deployment: HostsDeployment;
  let machines: LabHost[];
  let vip: string;
  let before: string[];
  let stack: TestStack;
  let kubectl: Kubectl;
  let outputs: Outputs;
  let load: Load | undefined;
  const kubectls = new Kubectls();

  beforeAll(async () => {
    deployment = await HostsDeployment.create(12, 28500);
    ({ machines, vip, stack } = deployment);
    before = await Promise.all(machines.map(fingerprintOf));
  }, 600_000);

  afterAll(async () => {
    await load?.stop();
    await kubectls.remove();
    await deployment?.stop();
  }, 300_000);

  const ask = (machine: number, script: string) => hostAt(machines[machine]!.address).run("asking", script);
  const pulumi = async (...args: string[]) => (await stack.successfully(args, { timeoutSeconds: 900 })).text;
  const kubeconfigOf = (endpoint: string) => {
    const config = parse(outputs.kubeconfig) as { clusters: { cluster: { server: string } }[] };
    config.clusters[0]!.cluster.server = endpoint;
    return stringify(config);
  };
  const through = (endpoint: string) => kubectls.to(kubeconfigOf(endpoint));
  const ownEndpoint = ({ ip }: LabHost) => `https://${ip}:5443`;
  const serves = async (machine: LabHost) => {
    const session = new ApiSession(kubeconfigOf(ownEndpoint(machine)));
    const ask = () => session.ask("GET", "/readyz");
    try {
      await eventually(ask, (answer) => answer === "ok", 90);
    } finally {
      session.drop();
    }
  };
  const holder = async (script: string) => {
    const answers = await Promise.all(machines.map((_, i) => ask(i, script)));
    return answers.findIndex((answer) => answer !== "");
  };

  /** By asking the webhook twice: to complete a policy, and whether it is right. */
  const admits = async (kubectl: Kubectl) => {
    const policy = {
      apiVersion: "policy.karmada.io/v1alpha1",
      kind: "PropagationPolicy",
      metadata: { name: "admitted", namespace: "default" },
      spec: { resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", name: "admitted" }] },
    };
    await kubectl(["create", "--dry-run=server", "-f", "-"], JSON.stringify(policy));
  };

  test("one preview plans everything and touches no host", async () => {
    expect(await pulumi("preview", "--save-plan", stack.savedPlan)).toContain("karmada-apiserver-2");
    expect(await Promise.all(machines.map(fingerprintOf))).toEqual(before);
  }, 300_000);

  test("one up from empty hosts, by that plan, brings every member to Ready, and every API server serves", async () => {
    await pulumi("up", "--yes", "--skip-preview", "--plan", stack.savedPlan);
    outputs = await stack.outputs<Outputs>();
    expect(outputs.endpoints).toEqual([`https://${vip}:6443`, ...machines.map(ownEndpoint)]);
    expect(outputs.etcd.members.map(({ name, healthy }) => [name, healthy])).toEqual([
      ["etcd-0", true],
      ["etcd-1", true],
      ["etcd-2", true],
    ]);
    for (const endpoint of outputs.endpoints) {
      kubectl = await through(endpoint);
      await allReady(kubectl, 3);
    }
  }, 960_000);

  test("no private key and no kubeconfig stands in clear in the state", async () => {
    expect(await stack.state()).not.toMatch(/BEGIN [A-Z ]*PRIVATE KEY|client-key-data/);
  });

  test("every program runs as a user of its own, and what others reach is secured", async () => {
    const users = await ask(0, "ps -eo user:40,args | awk '$2 ~ /^\\/opt\\/karmada/ {print $1, $2}' | sort -u");
    expect(users.trim().split("\n")).toEqual(
      [
        ["karmada-aggregated-apiserver", "karmada-aggregated-apiserver"],
        ["karmada-controller-manager", "karmada-controller-manager"],
        ["karmada-etcd", "etcd-0"],
        ["karmada-etcd-proxy", `etcd-proxy-${machines[0]!.name}`],
        ["karmada-haproxy", `haproxy-${machines[0]!.name}`],
        ["karmada-keepalived", `keepalived-${machines[0]!.name}`],
        ["karmada-kube-apiserver", "karmada-apiserver"],
        ["karmada-kube-controller-manager", "kube-controller-manager"],
        ["karmada-scheduler", "karmada-scheduler"],
        ["karmada-webhook", "karmada-webhook"],
      ].map(([user, link]) => `${user} /opt/karmada/bin/${link}`),
    );
  }, 60_000);

  test("nothing is said in plaintext but health and metrics on a host itself, and nobody goes unverified", async () => {
    // What each port answers to a question in plaintext; what speaks TLS says that it does, or hangs up.
    const scan = `ss -Hltn | awk '{print $4}' | sort -u | while read -r socket; do
        port=\${socket##*:} address=\${socket%:*}
        case $address in 127.*) address= ;; *) address=outside ;; esac
        answer=$(timeout 3 bash -c 'exec 3<>/dev/tcp/127.0.0.1/'$port'; printf "GET /healthz HTTP/1.0\\r\\n\\r\\n" >&3; read -r -t 2 line <&3; echo "$line"' 2>/dev/null) || true
        answer=\${answer#HTTP/1.? }
        echo "$address $port \${answer%%[ -]*}"
      done | tr -d '\\r' | sed 's/ *$//; s/^ //' | sort -u`;
    for (const [i] of machines.entries()) {
      expect(new Set((await ask(i, scan)).trim().split("\n"))).toEqual(
        new Set([
          ...["2381 404", "2383", "2384 503", "8404 503", "8444 404", "8445 404"],
          ...["10351 200", "10352 404", "10357 200", "10358 404"],
          // Led to what is behind API servers.
          ...["5464 400", "8463 400"],
          ...["outside 22 SSH", "outside 2379", "outside 2380", "outside 5443 400", "outside 5444 400"],
          ...["outside 6443 400", "outside 8443 400", "outside 10257 400"],
        ]),
      );
      expect(await ask(i, `grep -ril insecure /etc/karmada /etc/systemd/system/karmada-* || true`)).toBe("");
    }
    expect(outputs.kubeconfig).not.toContain("insecure");
    const kinds = "apiservices,clusters,validatingwebhookconfigurations,mutatingwebhookconfigurations";
    expect(await kubectl(["get", kinds, "-o", "json"])).not.toMatch(/"insecureSkipTLSVerif\w*": true/);
  }, 60_000);

  test("a second up and a refresh find nothing to change, with one login on each host", async () => {
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
    const logins = () => ask(1, `journalctl -u ssh --no-pager -o cat | grep -c "Accepted publickey"`).then(Number);
    const count = await logins();
    await pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes");
    expect((await logins()) - count).toBe(1);
  }, 300_000);

  test("an API server goes on with the webhook and the Cluster API of another host where its own hang, or have ended", async () => {
    const own = await through(ownEndpoint(machines[1]!));
    const programs = "karmada-webhook-1 karmada-aggregated-apiserver-1";
    // One that came up before those beside it goes on with the others it was led to then.
    await ask(1, "systemctl restart karmada-apiserver-1");
    await serves(machines[1]!);
    await admits(own);
    await allReady(own, 3);
    // Whom it is led to, as haproxy counts it: what is beside it.
    const metrics = `exec 3<>/dev/tcp/127.0.0.1/8404; printf "GET /metrics HTTP/1.0\\r\\n\\r\\n" >&3; cat <&3`;
    const led = await ask(1, `bash -c '${metrics}' | grep '^haproxy_server_current_sessions{proxy="karmada-'`);
    expect(led).toMatch(/server="karmada-webhook-1"\} [1-9]/);
    expect(led).toMatch(/server="karmada-aggregated-apiserver-1"\} [1-9]/);
    await ask(1, `systemctl kill -s STOP ${programs}`);
    const hung = Date.now();
    const works = () =>
      admits(own)
        .then(() => allReady(own, 3))
        .then(() => "", String);
    try {
      expect(await eventually(works, (error) => error === "", 20)).toBe("");
      process.stderr.write(`beside a webhook that hangs: ${(Date.now() - hung) / 1000} s\n`);
    } finally {
      await ask(1, `systemctl kill -s CONT ${programs}`);
    }
    await ask(1, `systemctl stop ${programs}`);
    await admits(own);
    await allReady(own, 3);
    await ask(1, `systemctl start ${programs}`);
  }, 120_000);

  test("nor is there anything to change for a colleague, whose programs are elsewhere", async () => {
    const cache = mkdtempSync(join(tmpdir(), "colleague-"));
    const store = join(cache, "store");
    symlinkSync(storeDirectory(), store);
    try {
      const env = { KARMADA_TOOLCHAIN_DIR: store };
      const run = (...args: string[]) =>
        stack.successfully([...args, "--expect-no-changes"], { timeoutSeconds: 300, env });
      await run("refresh", "--yes", "--skip-preview");
      await run("preview");
    } finally {
      rmSync(cache, { recursive: true });
    }
  }, 600_000);

  test("another address shows in one preview which certificates, kubeconfigs and units it changes, and touches nothing", async () => {
    const { loadBalancer } = stack.config["placement"] as { loadBalancer: { vip: string } };
    loadBalancer.vip = vip.replace(/100$/, "101");
    const before = await Promise.all(machines.map(fingerprintOf));
    const text = await pulumi("preview", "--json");
    loadBalancer.vip = vip;
    const { steps } = JSON.parse(text.slice(text.indexOf("{\n"), text.lastIndexOf("\n}") + 2)) as { steps: Step[] };
    const changed = steps
      .filter(({ op }) => op !== "same")
      .map(({ urn }) => urn.split("::").slice(-2) as [string, string]);
    const of = (type: RegExp) =>
      [...new Set(changed.flatMap(([types, name]) => (type.test(types.split("$").at(-1)!) ? [name] : [])))].sort();
    expect(of(/^tls:/)).toEqual(["test-pki-apiserver", "test-pki-apiserver-request"]);
    expect(of(/Host\w*Process$/)).toEqual([
      ...["test-karmada-apiserver", "test-karmada-apiserver-1", "test-karmada-apiserver-2"],
      ...machines.map(({ name }) => `test-keepalived-${name}`),
    ]);
    expect(of(/ApiReady$/)).toEqual(["test-control-plane-api-ready"]);
    expect(of(/:etcd|HostPrograms$/)).toEqual([]);
    expect(await Promise.all(machines.map(fingerprintOf))).toEqual(before);
  }, 300_000);

  test("a change that one host cannot take ends there, the rest are left as they run, and the next up goes on from there", async () => {
    const unit = (i: number) => `karmada-webhook${i === 0 ? "" : `-${i}`}`;
    const pids = (of: (i: number) => string) =>
      Promise.all(machines.map(async (_, i) => (await ask(i, `systemctl show ${of(i)} -p MainPID --value`)).trim()));
    const others = () => pids((i) => `karmada-apiserver${i === 0 ? "" : `-${i}`}`);
    const [was, apiservers] = [await pids(unit), await others()];
    const broken = `/etc/systemd/system/${unit(1)}.service.d`;
    await ask(
      1,
      `mkdir ${broken}; printf '[Service]\nExecStartPre=/bin/sh -c "echo no licence >&2; exit 1"\n' >${broken}/10-ours.conf`,
    );
    stack.config.controlPlane = { "karmada-webhook": { extraArgs: { "kube-api-burst": "61" } } };
    const refused = await stack.pulumi(["up", "--yes", "--skip-preview"], { timeoutSeconds: 300 });
    expect(refused.exitCode).not.toBe(0);
    const { name, ip } = machines[1]!;
    expect(refused.text).toContain(`karmada-webhook-1 on ${name} (${ip}): started, but not ready: it ended`);
    expect(refused.text).toContain("no licence");
    const stopped = await pids(unit);
    expect(stopped[0]).not.toBe(was[0]);
    expect(stopped.slice(1)).toEqual(["0", was[2]]);
    expect(await others()).toEqual(apiservers);
    await allReady(kubectl, 3);
    // The API server beside it has policies admitted by the webhook of another host.
    await admits(await through(ownEndpoint(machines[1]!)));

    await ask(1, `rm -r ${broken}; systemctl daemon-reload`);
    await pulumi("up", "--yes", "--skip-preview");
    const after = await pids(unit);
    expect(after[0]).toBe(stopped[0]);
    expect(after.slice(1)).not.toContain("0");
    expect(after[2]).not.toBe(was[2]);
    expect(await others()).toEqual(apiservers);
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  }, 600_000);

  test("refresh names what was stopped, edited, lost and walled off", async () => {
    await ask(1, "systemctl stop karmada-scheduler-1");
    await ask(0, "sed -i s/RestartSec=1s/RestartSec=9s/ /etc/systemd/system/karmada-webhook.service");
    await ask(1, "echo >>/etc/karmada/karmada-webhook-1/serving-cert/tls.crt");
    await ask(2, "rm $(readlink /opt/karmada/bin/kube-controller-manager-2)");
    const from = machines[1]!.ip;
    await ask(
      2,
      `nft 'table inet wall { chain in { type filter hook input priority 0; ip saddr ${from} tcp dport 5443 drop; }; }'`,
    );
    await pulumi("refresh", "--yes", "--skip-preview");
    const preview = await pulumi("preview", "--diff");
    for (const drift of [
      // The scheduler ends with an error when it is told to end: it has lost its lease.
      "it does not run: failed (exit-code)",
      "its unit was changed by hand",
      "file serving-cert/tls.crt was changed by hand",
      "its program is gone",
      "is not as it was sent",
      `${machines[1]!.name} (${from}): cannot reach ${machines[2]!.ip}:5443: no answer within 8 s`,
    ])
      expect(preview).toContain(drift);
    // Nobody but its operator takes a wall down.
    await ask(2, "nft delete table inet wall");
  }, 300_000);

  test("a change that a full disk stops says where and how full; freed, the next up goes on with it", async () => {
    stack.config.versions = { etcd: "3.6.8" };
    stack.config.controlPlane = { "kube-apiserver": { extraArgs: { "min-request-timeout": "1700" } } };
    const used = Number(await ask(1, "du -sm /opt/karmada | cut -f1"));
    await ask(
      1,
      `mount -t tmpfs -o size=${used + 4}m none /mnt; cp -a /opt/karmada/. /mnt; mount --bind /mnt /opt/karmada`,
    );
    const refused = await stack.pulumi(["up", "--yes", "--skip-preview"], { timeoutSeconds: 300 });
    expect(refused.exitCode).not.toBe(0);
    const { name, ip } = machines[1]!;
    expect(refused.text).toMatch(
      new RegExp(
        `${name} \\(${ip}\\): sending etcd: .*/opt/karmada/\\w{64}: \\dMi free, want \\d\\dMi: make room there`,
      ),
    );
    for (const machine of machines) await serves(machine);
    await ask(1, "umount /opt/karmada /mnt");
  }, 300_000);

  test("that up mends what was damaged, too, and changes one host after another while reads go on", async () => {
    const reader = new Caller(outputs.kubeconfig, { path: "/api/v1/namespaces/kube-public" }, 50);
    const attendance = new Attendance(
      machines.map(({ name, ip }, i) => ({ name, address: ip, kubeconfig: kubeconfigOf(ownEndpoint(machines[i]!)) })),
    );
    await pulumi("up", "--yes", "--skip-preview");
    await attendance.stop();
    await reader.stop();
    process.stderr.write(
      `changed host by host: ${reader.failures.length} of ${reader.count} reads failed: ${[...new Set(reader.failures)].join("; ")}\n`,
    );
    expect(reader.errorRate).toBeLessThan(0.001);
    expect(attendance.most).toHaveLength(1);
    expect([...attendance.missed].sort()).toEqual(machines.map(({ name }) => name));
    await pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes");
    expect(await ask(1, "systemctl is-active karmada-scheduler-1")).toBe("active\n");
    expect(await ask(1, "/opt/karmada/bin/etcd-1 --version | head -1")).toBe("etcd Version: 3.6.8\n");
    await allReady(kubectl, 3);
  }, 960_000);

  test("20 watches and 20 writes a second go on when haproxy, an API server and the host of etcd's leader are lost", async () => {
    load = await Load.start(outputs.kubeconfig);
    const haproxy = await load.during(async () => {
      const machine = await holder(`ip -o addr show | grep -F ' ${vip}/' || true`);
      await ask(machine, `systemctl kill -s KILL karmada-haproxy-${machines[machine]!.name}`);
    });
    const apiserver = await load.during(async () => {
      await ask(1, "systemctl kill -s KILL karmada-apiserver-1");
      await serves(machines[1]!);
    });
    const leader = await load.during(async () => {
      const metrics = `exec 3<>/dev/tcp/127.0.0.1/2381; printf "GET /metrics HTTP/1.0\\r\\n\\r\\n" >&3; cat <&3`;
      const machine = machines[await holder(`bash -c '${metrics}' | grep '^etcd_server_is_leader 1' || true`)]!;
      await machine.cutPower();
      await machine.boot();
      await serves(machine);
    });
    process.stderr.write(`longest silences, in seconds: ${JSON.stringify({ haproxy, apiserver, leader })}\n`);
    for (const { writes, watches } of [haproxy, apiserver, leader]) {
      expect(Math.max(writes, watches)).toBeLessThan(5 * slack());
    }
    expect(haproxy.writes).toBeLessThan(3 * slack());
  }, 300_000);

  test("a lost host fails neither preview nor refresh, and an empty one under its name and address takes its place", async () => {
    const label = `${machines[0]!.name} (${machines[0]!.ip})`;
    const loss = await load!.during(async () => {
      await deployment.lab.remove(machines[0]!);
      const refreshed = await pulumi("refresh", "--yes", "--skip-preview");
      // Once when it is found, and once in what is said at the end.
      expect(refreshed.split(`warning: ${label}: cannot be reached: `)).toHaveLength(3);
      expect(await pulumi("preview")).not.toContain(label);
    });
    const replacement = await load!.during(async () => {
      await deployment.replace(0);
      const refused = await stack.pulumi(["preview"]);
      expect(refused.exitCode).not.toBe(0);
      expect(refused.text).toContain("etcd-0: its data are gone");
      expect(refused.text).toContain("set etcd.replace to {etcd-0: 1}");

      stack.config.etcd = { kind: "managed", replace: { "etcd-0": 1 } };
      await pulumi("up", "--yes", "--skip-preview");
    });
    const { acknowledged, lost, unheard } = await load!.finish();
    process.stderr.write(
      `longest silences, in seconds: ${JSON.stringify({ loss, replacement })}; ${acknowledged} writes in all\n`,
    );
    expect({ lost, unheard }).toEqual({ lost: [], unheard: [] });
    for (const { writes, watches } of [loss, replacement]) {
      expect(Math.max(writes, watches)).toBeLessThan(5 * slack());
    }
    kubectl = await through(ownEndpoint(machines[0]!));
    await allReady(kubectl, 3);
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  }, 600_000);

  test("karmada-search, which is ready once API servers are led to it, comes up, and again where all of it was lost at once", async () => {
    stack.config.controlPlane = { "karmada-search": { enabled: true } };
    await pulumi("up", "--yes", "--skip-preview");
    await kubectl(["get", "resourceregistries"]);
    const restarted = machines.map(async (_, i) => {
      const unit = `karmada-search${i === 0 ? "" : `-${i}`}`;
      await ask(i, `systemctl stop ${unit}`);
      return unit;
    });
    for (const [i, unit] of (await Promise.all(restarted)).entries()) await ask(i, `systemctl start ${unit}`);
    await eventually(
      () => kubectl(["get", "resourceregistries", "--ignore-not-found"]).catch((error: Error) => error.message),
      (answer) => answer === "",
      120,
    );
    await pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes");
  }, 600_000);

  test("destroy leaves the hosts as they were", async () => {
    await pulumi("destroy", "--yes", "--skip-preview");
    expect(await Promise.all(machines.map(fingerprintOf))).toEqual(before);
  }, 300_000);
});
