import { commandLine } from "../support/fake-placement.ts";
import { etcdProcess } from "../support/processes.ts";

describe("etcd", () => {
  test("a member knows all members and asks clients and peers for certificates", () => {
    expect(commandLine(etcdProcess("etcd-1"))).toEqual([
      "--name=etcd-1",
      "--data-dir=/data/etcd",
      "--listen-client-urls=https://127.0.0.1:2379",
      "--advertise-client-urls=https://etcd-1.test:2379",
      "--listen-peer-urls=https://127.0.0.1:2380",
      "--initial-advertise-peer-urls=https://etcd-1.test:2380",
      "--listen-metrics-urls=http://127.0.0.1:8080",
      "--initial-cluster=etcd-0=https://etcd-0.test:2380,etcd-1=https://etcd-1.test:2380,etcd-2=https://etcd-2.test:2380",
      "--initial-cluster-state=new",
      "--initial-cluster-token=test",
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
      "--quota-backend-bytes=8589934592",
      "--watch-progress-notify-interval=5s",
      "--feature-gates=CompactHashCheck=true",
    ]);
  });

  test("the etcd of simulated members is alone", () => {
    expect(commandLine(etcdProcess("simulated-etcd"))).toEqual([
      "--name=simulated-etcd",
      "--data-dir=/data/etcd",
      "--listen-client-urls=https://127.0.0.1:2379",
      "--advertise-client-urls=https://simulated-etcd.test:2379",
      "--listen-peer-urls=https://127.0.0.1:2380",
      "--initial-advertise-peer-urls=https://simulated-etcd.test:2380",
      "--listen-metrics-urls=http://127.0.0.1:8080",
      "--initial-cluster=simulated-etcd=https://simulated-etcd.test:2380",
      "--initial-cluster-state=new",
      "--initial-cluster-token=simulated-etcd",
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
      "--quota-backend-bytes=2147483648",
      "--watch-progress-notify-interval=10m",
      "--feature-gates=CompactHashCheck=true",
    ]);
  });
});
