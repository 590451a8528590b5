import { unitOf, userOf } from "../../../lib/hosts/layout.ts";
import { unitText, type UnitDescription } from "../../../lib/hosts/unit.ts";

const etcd: UnitDescription = {
  name: "etcd-0",
  component: "etcd",
  args: ["--name=etcd-0", "--listen-client-urls=https://10.0.0.11:2379,https://[::1]:2379"],
  env: { GOMAXPROCS: "2" },
  revision: "abc",
  stopSeconds: 10,
  notifies: true,
};

const line = (key: string, change: Partial<UnitDescription> = {}) =>
  unitText({ ...etcd, ...change })
    .split("\n")
    .filter((each) => each.startsWith(`${key}=`));

test("runs the process's link as its own user, started again whenever it ends", () => {
  expect(line("ExecStart")).toEqual([
    'ExecStart=/opt/karmada/bin/etcd-0 --name=etcd-0 "--listen-client-urls=https://10.0.0.11:2379,https://[::1]:2379"',
  ]);
  expect(line("User")).toEqual(["User=karmada-etcd"]);
  expect(line("Type")).toEqual(["Type=notify"]);
  expect(line("Restart")).toEqual(["Restart=always"]);
  expect(line("ReadWritePaths")).toEqual(["ReadWritePaths=/var/lib/karmada/etcd-0"]);
  expect(line("CapabilityBoundingSet")).toEqual(["CapabilityBoundingSet="]);
});

test("has settings of its own instead of those that every unit gets, and the rest as ever", () => {
  const unitSettings = { AmbientCapabilities: ["CAP_NET_RAW"], SystemCallFilter: ["@system-service", "~setgroups:0"] };
  expect(line("AmbientCapabilities", { unitSettings })).toEqual(["AmbientCapabilities=CAP_NET_RAW"]);
  expect(line("SystemCallFilter", { unitSettings })).toEqual([
    "SystemCallFilter=@system-service",
    "SystemCallFilter=~setgroups:0",
  ]);
  expect(line("CapabilityBoundingSet", { unitSettings })).toEqual(["CapabilityBoundingSet="]);
});

test("has its data in another directory where it is told so, and does not start before the disk there is mounted", () => {
  expect(line("RequiresMountsFor")).toEqual([]);
  expect(line("ReadWritePaths", { dataDirectory: "/mnt/etcd" })).toEqual(["ReadWritePaths=/mnt/etcd/etcd-0"]);
  expect(line("RequiresMountsFor", { dataDirectory: "/mnt/etcd" })).toEqual(["RequiresMountsFor=/mnt/etcd"]);
});

test("writes where it is told besides, to what is its own there and made for it", () => {
  const writes = [{ path: "/backup", own: ["prod"] }, { path: "/mnt/nfs" }];
  expect(line("ReadWritePaths", { writes })).toEqual([
    "ReadWritePaths=/var/lib/karmada/etcd-0",
    "ReadWritePaths=-/backup",
    "ReadWritePaths=-/mnt/nfs",
  ]);
  expect(line("ExecStartPre", { writes })).toEqual([
    `ExecStartPre=+/bin/sh -c "umask 022 && mkdir -p '/backup/prod' && chmod 700 '/backup/prod' && chown -R karmada-etcd:karmada-etcd '/backup/prod'"`,
  ]);
});

test("has what is its own in a mount made only there, which is no condition of its start either", () => {
  const writes = [{ path: "/mnt/nfs", own: ["prod"], network: true }];
  const made =
    "[ ! -L '/mnt/nfs/prod' ] && umask 022 && mkdir -p '/mnt/nfs/prod' && chmod 700 '/mnt/nfs/prod' && chown -R karmada-etcd:karmada-etcd '/mnt/nfs/prod'";
  expect(line("ExecStartPre", { writes })).toEqual([
    `ExecStartPre=-+/bin/sh -c "at='/mnt/nfs'; until [ -e \\"$$at/\\" ]; do at=$\${at%%/*}; done; case $$(stat -f -c %%T \\"$$at/\\") in nfs* | ceph* | fuse*) ${made} ;; esac"`,
  ]);
});

test("has a file in a directory of others, which is no condition of its start", () => {
  const writes = [{ path: "/var/lib/node_exporter", files: ["prod.prom"] }];
  const file = "'/var/lib/node_exporter/prod.prom'";
  expect(line("ExecStartPre", { writes })).toEqual([
    `ExecStartPre=-+/bin/sh -c "umask 022 && mkdir -p '/var/lib/node_exporter' && { [ -e ${file} ] || install -m 644 /dev/null ${file}; } && chown -h karmada-etcd:karmada-etcd ${file}"`,
  ]);
});

test("says where it writes as one path each, however it is called, and nothing of temporary files, of which it has its own", () => {
  const writes = [{ path: '/mnt/my "backup" 50%' }, { path: "/tmp", own: ["prod"] }, { path: "/var//tmp/x" }];
  expect(line("ReadWritePaths", { writes })).toEqual([
    "ReadWritePaths=/var/lib/karmada/etcd-0",
    'ReadWritePaths="-/mnt/my \\"backup\\" 50%%"',
  ]);
  expect(line("ExecStartPre", { writes })).toEqual([]);
});

test("is not started without the directory that a variable names", () => {
  expect(line("ExecStartPre", { needs: "ETCD_DATA_DIR" })).toEqual([
    `ExecStartPre=/bin/sh -c "[ -d \\"$$ETCD_DATA_DIR\\" ] || { echo \\"$$ETCD_DATA_DIR is gone\\" >&2; exit 1; }"`,
  ]);
});

test("takes every argument and variable literally", () => {
  const args = ['a b"c', "$HOME", "%n", "back\\slash", "two\nlines", ""];
  expect(line("ExecStart", { args })).toEqual([
    'ExecStart=/opt/karmada/bin/etcd-0 "a b\\"c" "$$HOME" %%n "back\\\\slash" "two\\nlines" ""',
  ]);
  expect(line("Environment", { env: { A: "$x %y" } })).toEqual([
    'Environment="A=$x %%y"',
    "Environment=KARMADA_REVISION=abc",
  ]);
});

test("limits what it is told to limit, and nothing else", () => {
  expect([...line("MemoryMax"), ...line("CPUQuota")]).toEqual([]);
  expect(line("MemoryMax", { memoryBytes: 1024 })).toEqual(["MemoryMax=1024"]);
  expect(line("CPUQuota", { cores: 1.5 })).toEqual(["CPUQuota=150%"]);
});

test("names units and users after what runs, once", () => {
  expect([unitOf("etcd-0"), unitOf("karmada-apiserver")]).toEqual([
    "karmada-etcd-0.service",
    "karmada-apiserver.service",
  ]);
  expect([userOf("kube-controller-manager"), userOf("karmada-scheduler-estimator")]).toEqual([
    "karmada-kube-controller-manager",
    "karmada-scheduler-estimator",
  ]);
});
