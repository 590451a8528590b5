import { managedEtcd } from "../../../components/processes/etcd-cluster.ts";
import { allMembers, planEtcd } from "../../../components/etcd-plan.ts";
import { deploymentOf } from "../support/deployment.ts";
import { commandLine } from "../support/fake-placement.ts";
import { etcdProcess } from "../support/processes.ts";

const member = (name: string) => [
  `--name=${name}`,
  "--listen-client-urls=https://127.0.0.1:2379",
  `--advertise-client-urls=https://${name}.test:2379`,
  "--listen-peer-urls=https://127.0.0.1:2380",
  `--initial-advertise-peer-urls=https://${name}.test:2380`,
  "--listen-metrics-urls=http://127.0.0.1:8080",
  "--client-cert-auth=true",
  "--trusted-ca-file=/files/pki/etcd/ca.crt",
  "--cert-file=/files/pki/etcd/server.crt",
  "--key-file=/files/pki/etcd/server.key",
  "--peer-client-cert-auth=true",
  "--peer-trusted-ca-file=/files/pki/etcd/peer-ca.crt",
  "--peer-cert-file=/files/pki/etcd/peer.crt",
  "--peer-key-file=/files/pki/etcd/peer.key",
  "--tls-min-version=TLS1.3",
  "--snapshot-count=10000",
];

describe("etcd", () => {
  test("a member asks clients and peers for certificates, and is told its cluster by whoever starts it", () => {
    expect(commandLine(etcdProcess("etcd-1"))).toEqual([
      ...member("etcd-1"),
      "--quota-backend-bytes=8589934592",
      "--watch-progress-notify-interval=5s",
      "--feature-gates=CompactHashCheck=true",
    ]);
  });

  test("nothing of a member changes when another comes or goes", () => {
    const cluster = { version: "3.6.6", quota: "8Gi", extraArgs: { "log-level": "warn" } } as const;
    const [one] = managedEtcd({ ...cluster, members: ["etcd-0"] }).members;
    const [first] = managedEtcd({ ...cluster, members: ["etcd-0", "etcd-2", "etcd-3"] }).members;
    expect(first).toEqual(one);
    expect(commandLine(one!).at(-1)).toBe("--log-level=warn");
  });

  test("the etcd of simulated members is alone, and started as it is", () => {
    expect(commandLine(etcdProcess("simulated-etcd"))).toEqual([
      ...member("simulated-etcd"),
      "--quota-backend-bytes=2147483648",
      "--watch-progress-notify-interval=10m",
      "--feature-gates=CompactHashCheck=true",
      "--data-dir=/data/etcd",
      "--initial-cluster=simulated-etcd=https://simulated-etcd.test:2380",
      "--initial-cluster-token=simulated-etcd",
    ]);
  });

  test("each member has the limits of etcd, those of some kinds of objects too", () => {
    const resources = { memory: "4Gi", cpu: "2" };
    const overrides = [{ name: "often", resources: ["/events"] }];
    const members = (etcd: object) =>
      allMembers(planEtcd(deploymentOf({ etcd: { kind: "managed", ...etcd } }) as never));
    expect(members({ resources, overrides }).map(({ limits }) => limits)).toEqual(Array(4).fill(resources));
    expect(members({ overrides }).filter((member) => "limits" in member)).toEqual([]);
  });

  test("only what is read at the start alone counts as a reason to restart", () => {
    const { files, rereads = [] } = etcdProcess("etcd-0");
    expect(Object.keys(files).filter((file) => !rereads.includes(file))).toEqual([
      "pki/etcd/ca.crt",
      "pki/etcd/peer-ca.crt",
    ]);
  });
});
