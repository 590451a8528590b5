import { commandLine } from "../support/fake-placement.ts";
import { controlPlaneProcess } from "../support/processes.ts";

describe("the aggregated servers", () => {
  test("karmada-aggregated-apiserver stores where the API server stores", () => {
    expect(commandLine(controlPlaneProcess("karmada-aggregated-apiserver"))).toEqual([
      "--kubeconfig=/files/karmada.config",
      "--authentication-kubeconfig=/files/karmada.config",
      "--authorization-kubeconfig=/files/karmada.config",
      "--bind-address=127.0.0.1",
      "--secure-port=6443",
      "--tls-cert-file=/files/pki/karmada-aggregated-apiserver.crt",
      "--tls-private-key-file=/files/pki/karmada-aggregated-apiserver.key",
      "--tls-min-version=VersionTLS13",
      "--audit-log-path=-",
      "--audit-log-maxage=0",
      "--audit-log-maxbackup=0",
      "--etcd-servers=https://etcd-0.test:2379,https://etcd-1.test:2379,https://etcd-2.test:2379",
      "--etcd-prefix=/registry",
      "--etcd-cafile=/files/pki/etcd/ca.crt",
      "--etcd-certfile=/files/pki/apiserver-etcd-client.crt",
      "--etcd-keyfile=/files/pki/apiserver-etcd-client.key",
      "--v=2",
    ]);
  });

  test("karmada-search needs etcd too", () => {
    expect(commandLine(controlPlaneProcess("karmada-search"))).toEqual([
      "--kubeconfig=/files/karmada.config",
      "--authentication-kubeconfig=/files/karmada.config",
      "--authorization-kubeconfig=/files/karmada.config",
      "--bind-address=127.0.0.1",
      "--secure-port=6443",
      "--tls-cert-file=/files/pki/karmada-search.crt",
      "--tls-private-key-file=/files/pki/karmada-search.key",
      "--tls-min-version=VersionTLS13",
      "--audit-log-path=-",
      "--audit-log-maxage=0",
      "--audit-log-maxbackup=0",
      "--etcd-servers=https://etcd-0.test:2379,https://etcd-1.test:2379,https://etcd-2.test:2379",
      "--etcd-prefix=/registry",
      "--etcd-cafile=/files/pki/etcd/ca.crt",
      "--etcd-certfile=/files/pki/apiserver-etcd-client.crt",
      "--etcd-keyfile=/files/pki/apiserver-etcd-client.key",
      "--v=2",
    ]);
  });

  test("karmada-metrics-adapter has no etcd and serves its own metrics apart", () => {
    expect(commandLine(controlPlaneProcess("karmada-metrics-adapter"))).toEqual([
      "--kubeconfig=/files/karmada.config",
      "--authentication-kubeconfig=/files/karmada.config",
      "--authorization-kubeconfig=/files/karmada.config",
      "--bind-address=127.0.0.1",
      "--secure-port=6443",
      "--tls-cert-file=/files/pki/karmada-metrics-adapter.crt",
      "--tls-private-key-file=/files/pki/karmada-metrics-adapter.key",
      "--tls-min-version=VersionTLS13",
      "--audit-log-path=-",
      "--audit-log-maxage=0",
      "--audit-log-maxbackup=0",
      "--client-ca-file=/files/pki/ca.crt",
      "--metrics-bind-address=127.0.0.1:8080",
      "--v=2",
    ]);
  });
});
