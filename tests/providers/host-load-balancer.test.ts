/** haproxy and keepalived as they are put on hosts: real hosts, real VRRP, servers on this machine behind them. */
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { connect } from "node:tls";
import { keepalivedConfiguration, keepalivedFiles, keepalivedProcess } from "../../components/processes/keepalived.ts";
import { haproxyName, haproxyProcess } from "../../components/processes/haproxy.ts";
import type { Process, Text } from "../../components/process.ts";
import { hostsProbe } from "../../components/placement/hosts-probe.ts";
import { closeHosts, hostAt } from "../../lib/hosts/hosts.ts";
import { hostProcessPaths } from "../../lib/hosts/layout.ts";
import { balancerRules } from "../../lib/monitoring/rules/balancers.ts";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { provider as preflight } from "../../providers/host-preflight-impl.ts";
import { provider } from "../../providers/host-process-impl.ts";
import { beginRun } from "../../providers/still-declared.ts";
import { samplesIn, untold } from "../e2e/support/prometheus.ts";
import { target, watched } from "../lib/monitoring/support.ts";
import { createAuthority, type Leaf } from "../support/certificates.ts";
import { fingerprintOf } from "../support/host-fingerprint.ts";
import { hasLab, Lab, type LabHost } from "../support/nspawn-lab.ts";

const describeLab = hasLab() ? describe : describe.skip;
const vip = "10.88.14.100";
const front = 6443;
const healthPort = 8404;

describeLab("a load balancer on two hosts", () => {
  let lab: Lab;
  let machines: LabHost[];
  let before: string[];
  let ca: string;
  let leaf: Leaf;
  const servers: { server: Server; name: string; ready: boolean }[] = [];
  const states: Record<string, unknown>[] = [];

  beforeAll(async () => {
    lab = new Lab(14);
    machines = await Promise.all([lab.add(1), lab.add(2, { suite: "trixie" })]);
    before = await Promise.all(machines.map(fingerprintOf));
    const authority = await createAuthority("karmada");
    ca = authority.certificate;
    leaf = await authority.issue({ commonName: "server", hosts: ["kubernetes.default.svc", "localhost"] });
    for (const name of ["karmada-apiserver", "karmada-apiserver-1"]) servers.push(await serve(name, leaf));
  }, 600_000);

  afterAll(async () => {
    for (const { server } of servers) server.close();
    closeHosts();
    await lab.stop();
  });

  const ask = (machine: LabHost, script: string) => hostAt(machine.address).run("asking", script);
  const holders = async () => {
    const shown = await Promise.all(
      machines.map(async (machine) => [machine, await ask(machine, "ip -o -4 addr show dev host0")] as const),
    );
    return shown.filter(([, addresses]) => addresses.includes(` ${vip}/32 `)).map(([machine]) => machine);
  };
  const wanted = (change: object = {}) =>
    Object.fromEntries(
      machines.map(({ name, address }) => [
        name,
        {
          address,
          ports: { "haproxy clients": front, "haproxy health": healthPort },
          reached: [],
          etcd: false,
          installed: ["/usr/sbin/haproxy", "/usr/sbin/keepalived"],
          vip: { address: vip, routerId: 100 },
          ...change,
        },
      ]),
    );
  const look = (change?: object) => preflight.create({ deployment: "prod", hosts: wanted(change) });
  const inputsOf = (machine: LabHost, process: Process, given: Record<string, string> = {}) => {
    const text = (text: Text) => resolved(process, text, servers);
    return {
      host: machine.address,
      name: process.name,
      component: process.component,
      program: (process.program as { installed: string }).installed,
      programSha256: "",
      args: process.args.map(text),
      env: {},
      contents: {
        ...Object.fromEntries(
          Object.entries(process.files).map(([key, file]) => [key, file.from === "text" ? text(file.text) : ca]),
        ),
        ...given,
      },
      probe: hostsProbe(process, () => healthPort),
      startSeconds: 30,
      stopSeconds: Number.parseFloat(process.stopDeadline),
      notifies: process.component === "keepalived",
      ...(process.unitSettings !== undefined && { unitSettings: process.unitSettings }),
    };
  };
  const create = async (inputs: object) => {
    const { inputs: checked, failures } = await provider.check({}, inputs);
    expect(failures).toEqual([]);
    const { outs } = await provider.create(checked);
    states.push(outs as Record<string, unknown>);
  };

  test("is refused where its programs are missing, its address is taken or elsewhere: all hosts, all at once", async () => {
    const [first, second] = machines as [LabHost, LabHost];
    await ask(first, "mv /usr/sbin/haproxy /usr/sbin/haproxy.away");
    const failed = look({ vip: { address: "10.88.14.1", routerId: 1 } }).catch((error: Error) => error.message);
    const bridge = /[0-9a-f:]{17}/.source;
    expect(await failed).toMatch(
      new RegExp(
        [
          `${first.name} \\(${first.ip}\\): has no /usr/sbin/haproxy\napt-get install haproxy`,
          `${first.name} \\(${first.ip}\\): 10.88.14.1 is in use by somebody else \\(${bridge}\\), want a free address`,
          `${second.name} \\(${second.ip}\\): 10.88.14.1 is in use by somebody else \\(${bridge}\\), want a free address`,
        ].join("\n"),
      ),
    );
    await ask(first, "mv /usr/sbin/haproxy.away /usr/sbin/haproxy");
    await expect(look({ vip: { address: "10.89.0.1", routerId: 1 } })).rejects.toThrow(
      `${second.name} (${second.ip}): 10.89.0.1 is outside of the network of host0 (${second.ip}/24)`,
    );
  }, 60_000);

  test("is there once the programs serve, each as a user of its own with no right it does not need", async () => {
    const { outs } = await look();
    const interfaces = (outs as { interfaces: Record<string, { own: string; vip: string }> }).interfaces;
    const hosts = machines.map(({ name, ip }) => ({ name, address: ip }));
    const apiservers = servers.map(({ name }) => name);
    for (const machine of machines) {
      const { name: host } = machine;
      await create(inputsOf(machine, haproxyProcess({ host, port: front, apiservers, behind: [] })));
      const keepalived = keepalivedProcess(host);
      const configuration = keepalivedConfiguration({
        host,
        user: "karmada-keepalived",
        vip,
        routerId: 100,
        hosts,
        interfaces: interfaces[host]!,
        check: hostProcessPaths(keepalived.name).file(keepalivedFiles.check),
      });
      await create(inputsOf(machine, keepalived, { [keepalivedFiles.configuration]: configuration }));
    }
    await waitFor("an answer", deadlineIn(10), () => answer(ca));
    expect((await holders()).map(({ name }) => name)).toEqual([machines[0]!.name]);
    const capabilities = await ask(
      machines[0]!,
      `for program in haproxy keepalived; do
         pid=$(systemctl show karmada-$program-${machines[0]!.name} -p MainPID --value)
         echo "$(stat -c %U /proc/$pid) $(sed -n 's/^CapBnd:\\s*//p' /proc/$pid/status)"
       done`,
    );
    expect(capabilities).toBe("karmada-haproxy 0000000000000000\nkarmada-keepalived 0000000000003000\n");
    for (const state of states) expect((await provider.read("id", state)).props?.["drift"]).toBeUndefined();
  }, 120_000);

  test("answers on its host for metrics, with all that alerts go by", async () => {
    const [{ name: host }] = machines as [LabHost];
    const question = "GET /metrics HTTP/1.0\\r\\n\\r\\n";
    const answered = await ask(
      machines[0]!,
      `bash -c "exec 3<>/dev/tcp/127.0.0.1/${healthPort}; printf '${question}' >&3; cat <&3"`,
    );
    const [head = "", body = ""] = answered.split(/\r\n\r\n(.*)/s);
    // It answers in chunks, whatever version of HTTP it is asked by.
    const metrics = body.replaceAll(/(^|\r\n)[0-9a-f]+\r\n/gi, "").trimEnd();
    expect(head).toMatch(/^HTTP\/1\.[01] 200 /);
    const haproxy = target("haproxy", { process: haproxyName(host), host });
    const { process, component } = haproxy;
    const labels = { deployment: "prod", process, component, host };
    const scraped = { job: component, url: "", labels, status: 200, type: "", samples: samplesIn(metrics) };
    expect(untold(balancerRules(watched({ targets: [haproxy] })), [scraped])).toEqual([]);
    const asked = scraped.samples.filter(({ name }) => name === "haproxy_server_status");
    expect(new Set(asked.map(({ labels: { server } }) => server))).toEqual(new Set(servers.map(({ name }) => name)));
  }, 60_000);

  test("leads to servers that say they are ready, and to no other", async () => {
    const asked = async () => new Set(await Promise.all(Array.from({ length: 10 }, () => answer(ca))));
    expect(await asked()).toEqual(new Set(servers.map(({ name }) => name)));
    servers[0]!.ready = false;
    await waitFor("one to be left out", deadlineIn(15), async () => {
      if ((await asked()).size > 1) throw new Error("both answer");
    });
    expect(await asked()).toEqual(new Set([servers[1]!.name]));
    servers[0]!.ready = true;
    await waitFor("both to answer", deadlineIn(15), async () => {
      if ((await asked()).size < 2) throw new Error("one answers");
    });
    const said = await ask(machines[0]!, `journalctl --no-pager -o cat -u karmada-${haproxyName(machines[0]!.name)}`);
    // Of servers that are left, and of no connection that ended well.
    expect(said).toContain(`apiservers/${servers[0]!.name} is DOWN`);
    expect(said).not.toMatch(/Connect from|clients apiservers\/\S+ \S+ \d+ --/);
  }, 60_000);

  test("moves its address within 3 s from a host where haproxy hangs or the power is gone, and never back", async () => {
    const [first, second] = machines as [LabHost, LabHost];
    const unit = `karmada-${haproxyName(first.name)}`;
    await ask(first, `systemctl kill -s STOP ${unit}`);
    const hung = await outage(ca, async () => (await holders())[0] === second);
    await ask(first, `systemctl kill -s CONT ${unit}`);
    expect(await holders()).toEqual([second]);
    await second.cutPower();
    const cut = await outage(ca, () => Promise.resolve(true));
    process.stderr.write(`the address moved: haproxy hung ${hung.toFixed(1)} s, power cut ${cut.toFixed(1)} s\n`);
    // Up to 1 s until the next question, and two of 0.5 s that get no answer; three advertisements that are missed.
    expect(hung).toBeLessThan(3);
    expect(cut).toBeLessThan(3);
    await second.boot();
    await waitFor("keepalived to run again", deadlineIn(30), async () => {
      expect(await ask(second, `systemctl is-active karmada-keepalived-${second.name}`)).toBe("active\n");
    });
    expect(await holders()).toEqual([first]);
  }, 120_000);

  test("lets go of the host that has the address, and takes it again while it has it still", async () => {
    const [holder] = await holders();
    const rest = machines.filter((machine) => machine !== holder);
    const entries = machines.map(({ name, address }) => [name, address] as const);
    const state = { deployment: "prod", hosts: wanted(), taken: Object.fromEntries(entries) };
    for (const machine of machines) await ask(machine, "mkdir -p /etc/karmada; echo prod >/etc/karmada/deployment");
    const hosts = Object.fromEntries(
      Object.entries(wanted()).filter(([name]) => rest.some((each) => each.name === name)),
    );
    const { outs } = await preflight.update("id", state, { deployment: "prod", hosts });
    expect(await ask(holder!, "cat /etc/karmada/deployment || true")).toBe("");
    const left = { [holder!.name]: holder!.address };
    await preflight.update("id", { ...outs, left }, { deployment: "prod", hosts: wanted() });
    expect(await ask(holder!, "cat /etc/karmada/deployment")).toBe("prod");
  }, 60_000);

  test("leaves nothing behind", async () => {
    beginRun();
    for (const state of states.toReversed()) await provider.delete("id", state);
    await Promise.all(machines.map((machine) => ask(machine, "rm -rf /etc/karmada")));
    expect(await holders()).toEqual([]);
    expect(await Promise.all(machines.map(fingerprintOf))).toEqual(before);
  }, 60_000);
});

/** A server on this machine that says who it is, and whether it is ready. */
async function serve(name: string, { certificate, key }: Leaf) {
  const served = { name, ready: true, server: undefined as unknown as Server };
  served.server = createServer({ cert: certificate, key }, ({ url }, response) => {
    response.statusCode = url === "/readyz" && !served.ready ? 500 : 200;
    response.setHeader("connection", "close").end(name);
  });
  await new Promise<void>((resolve) => served.server.listen(0, "0.0.0.0", resolve));
  return served;
}

/** Who answers through the address, within half a second. */
function answer(ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: vip, port: front, ca, servername: "localhost" }, () =>
      socket.write("GET /name HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"),
    );
    let got = "";
    socket.setEncoding("utf8").on("data", (part: string) => (got += part));
    socket.setTimeout(500, () => socket.destroy(new Error("no answer")));
    socket.once("error", reject);
    socket.once("close", () => (got === "" ? reject(new Error("it hung up")) : resolve(got.split("\r\n\r\n")[1]!)));
  });
}

/** Seconds until the address answers again and `moved`. */
async function outage(ca: string, moved: () => Promise<boolean>): Promise<number> {
  const begun = performance.now();
  let answered = 0;
  const attempt = async () => {
    await answer(ca);
    answered = performance.now();
    if (!(await moved())) throw new Error("the address is where it was");
  };
  await waitFor("an answer through the other host", deadlineIn(20), attempt, { maxInterval: 50 });
  return (answered - begun) / 1000;
}

function resolved(process: Process, text: Text, servers: readonly { name: string; server: Server }[]): string {
  if (typeof text === "string") return text;
  const paths = hostProcessPaths(process.name);
  const piece = (ref: Exclude<Text[number], string>) => {
    if (ref.ref === "file") return paths.file(ref.file);
    if (ref.ref === "data") return `${paths.data}/${ref.path}`;
    if (ref.ref === "loopback") return "127.0.0.1";
    if (ref.ref === "host") return "10.88.14.1";
    if (ref.ref !== "port") throw new Error(`${ref.ref} is not used here`);
    const server = servers.find(({ name }) => name === ref.process)?.server;
    return String(server === undefined ? healthPort : (server.address() as AddressInfo).port);
  };
  return text.map((each) => (typeof each === "string" ? each : piece(each))).join("");
}
