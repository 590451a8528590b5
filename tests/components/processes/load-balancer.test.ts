import { haproxyProcess } from "../../../components/processes/haproxy.ts";
import {
  keepalivedConfiguration,
  keepalivedProcess,
  type KeepalivedConfiguration,
} from "../../../components/processes/keepalived.ts";
import { managedEtcd } from "../../../components/processes/etcd-cluster.ts";
import { etcdProxyName, etcdProxyProcess } from "../../../components/processes/etcd-proxy.ts";
import type { Process } from "../../../components/process.ts";
import { commandLine, resolveText } from "../support/fake-placement.ts";

const haproxy = haproxyProcess({
  host: "host1",
  port: 6443,
  apiservers: ["karmada-apiserver", "karmada-apiserver-1"],
  behind: [{ component: "karmada-webhook", replicas: ["karmada-webhook-1", "karmada-webhook"], readyPath: "/readyz/" }],
});

const fileOf = (process: Process, key: string) => {
  const source = process.files[key];
  return source?.from === "text" ? resolveText(process, source.text) : "";
};
const lines = (text: string) => text.split("\n").map((line) => line.trim());

test("haproxy leads to every API server that says it is ready, whose certificate it verifies", () => {
  expect(commandLine(haproxy)).toEqual(["-db", "-f", "/files/haproxy.cfg"]);
  const written = lines(fileOf(haproxy, "haproxy.cfg"));
  expect(written.filter((line) => line.startsWith("server "))).toEqual([
    "server karmada-apiserver karmada-apiserver.test:6443",
    "server karmada-apiserver-1 karmada-apiserver-1.test:6443",
    "server karmada-webhook-1 karmada-webhook-1.test:6443",
    "server karmada-webhook karmada-webhook.test:6443",
  ]);
  expect(written).toContain("http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host kubernetes.default.svc");
  expect(written.find((line) => line.startsWith("default-server "))).toContain(
    "check-ssl check-sni kubernetes.default.svc verify required verifyhost kubernetes.default.svc ca-file /files/pki/ca.crt",
  );
  expect(written.filter((line) => line.startsWith("bind "))).toEqual([
    "bind :6443",
    "bind 127.0.0.1:8463",
    "bind 127.0.0.1:10080",
  ]);
});

test("it leads the API server beside it to the first that serves of what is behind API servers, and asks as a probe does", () => {
  const written = fileOf(haproxy, "haproxy.cfg");
  const section = lines(
    written.slice(written.indexOf("frontend apiserver-karmada-webhook"), written.indexOf("frontend answers")),
  );
  expect(section.filter((line) => !line.startsWith("default-server "))).toEqual([
    ...[
      "frontend apiserver-karmada-webhook",
      "bind 127.0.0.1:8463",
      "option tcplog",
      "default_backend karmada-webhook",
      "",
    ],
    ...["backend karmada-webhook", "balance first", "option httpchk"],
    "http-check send meth GET uri /readyz/ ver HTTP/1.1 hdr Host localhost",
    "http-check expect status 200",
    "server karmada-webhook-1 karmada-webhook-1.test:6443",
    "server karmada-webhook karmada-webhook.test:6443",
    ...["", ""],
  ]);
  expect(section.find((line) => line.startsWith("default-server "))).toContain(
    "verifyhost localhost ca-file /files/pki/ca.crt",
  );
});

test("what leads to etcd from a host does so for that host alone, and asks each member for what it knows by itself", () => {
  const { connection } = managedEtcd({ members: ["etcd-0", "etcd-1"], version: "3.6.6", quota: "8Gi", extraArgs: {} });
  const etcds = [{ port: "etcd", members: ["etcd-0", "etcd-1"] }];
  const proxy = etcdProxyProcess({ name: etcdProxyName("host1"), etcds, etcd: connection });
  const written = lines(fileOf(proxy, "haproxy.cfg"));
  expect(written.filter((line) => line.startsWith("server "))).toEqual([
    "server etcd-0 etcd-0.test:2379",
    "server etcd-1 etcd-1.test:2379",
  ]);
  expect(written).toContain("bind 127.0.0.1:2383");
  expect(written).toContain("http-check send meth GET uri /health?serializable=true ver HTTP/1.1 hdr Host localhost");
  const servers = written.find((line) => line.startsWith("default-server "));
  expect(servers).toContain("verify required verifyhost localhost ca-file /files/pki/etcd/ca.crt");
  expect(servers).toMatch(/ crt \/files\/pki\/client\.crt$/);
  expect(proxy.files["pki/client.crt.key"]).toEqual({ from: "private-key", certificate: "etcd-proxy-etcd-client" });
});

test("it leads to each etcd by a port of its own", () => {
  const { connection } = managedEtcd({ members: ["etcd-0", "etcd-1"], version: "3.6.6", quota: "8Gi", extraArgs: {} });
  const etcds = [
    { port: "etcd", members: ["etcd-0", "etcd-1"] },
    { port: "events", members: ["etcd-often-0"] },
  ];
  const proxy = etcdProxyProcess({ name: etcdProxyName("host1"), etcds, etcd: connection });
  expect(proxy.ports).toEqual(["etcd", "events", "http"]);
  const written = lines(fileOf(proxy, "haproxy.cfg")).filter((line) =>
    /^(frontend|bind|default_backend|backend|server) /.test(line),
  );
  expect(written).toEqual([
    ...["frontend clients", "bind 127.0.0.1:2383", "default_backend etcd"],
    ...["backend etcd", "server etcd-0 etcd-0.test:2379", "server etcd-1 etcd-1.test:2379"],
    ...["frontend clients-events", "bind 127.0.0.1:2385", "default_backend events"],
    ...["backend events", "server etcd-often-0 etcd-often-0.test:2379"],
    ...["frontend answers", "bind 127.0.0.1:10080"],
  ]);
});

test("a haproxy that was built without metrics goes without them", () => {
  const written = fileOf(haproxy, "haproxy.cfg");
  expect(written).toMatch(/^\.if feature\(PROMEX\)\n.* prometheus-exporter if \{ path \/metrics \}\n\.endif$/m);
});

test("it needs no right of root's but for a port that is root's", () => {
  expect(haproxy.unitSettings).toBeUndefined();
  expect(haproxyProcess({ host: "host1", port: 443, apiservers: [], behind: [] }).unitSettings).toMatchObject({
    CapabilityBoundingSet: ["CAP_NET_BIND_SERVICE"],
  });
});

test("keepalived may change the host's addresses, and asks the haproxy beside it", () => {
  const keepalived = keepalivedProcess("host1");
  expect(keepalived.unitSettings).toMatchObject({ CapabilityBoundingSet: ["CAP_NET_ADMIN CAP_NET_RAW"] });
  expect(fileOf({ ...keepalived, ports: ["http"] }, "haproxy-answers")).toContain("/dev/tcp/127.0.0.1/10080");
});

const settings: KeepalivedConfiguration = {
  host: "host2",
  user: "karmada-keepalived",
  vip: "10.0.0.100",
  routerId: 100,
  hosts: [1, 2, 3].map((n) => ({ name: `host${n}`, address: `10.0.0.1${n}` })),
  interfaces: { own: "eth0", vip: "eth1" },
  check: "/files/haproxy-answers",
};

test("each host tells the others that it has the address, by their addresses; the first of the list goes before", () => {
  const written = lines(keepalivedConfiguration(settings));
  expect(written).toEqual(
    expect.arrayContaining([
      "interface eth0",
      "virtual_router_id 100",
      "unicast_src_ip 10.0.0.12",
      "10.0.0.100/32 dev eth1",
      "nopreempt",
    ]),
  );
  const at = written.indexOf("unicast_peer {");
  expect(written.slice(at + 1, at + 4)).toEqual(["10.0.0.11", "10.0.0.13", "}"]);
  const priority = (host: string) => keepalivedConfiguration({ ...settings, host }).match(/priority (\d+)/)?.[1];
  expect(["host1", "host2", "host3"].map(priority)).toEqual(["254", "244", "234"]);
});
