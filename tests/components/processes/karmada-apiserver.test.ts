import { commandLine } from "../support/fake-placement.ts";
import { controlPlaneProcess } from "../support/processes.ts";

describe("karmada-apiserver", () => {
  test("aggregates without routing, authenticates by the Karmada authority and stores below /registry", () => {
    expect(commandLine(controlPlaneProcess("karmada-apiserver"))).toEqual([
      "--bind-address=127.0.0.1",
      "--advertise-address=karmada-apiserver.test",
      "--secure-port=6443",
      "--endpoint-reconciler-type=none",
      "--etcd-servers=https://etcd-0.test:2379,https://etcd-1.test:2379,https://etcd-2.test:2379",
      "--etcd-prefix=/registry",
      "--etcd-cafile=/files/pki/etcd/ca.crt",
      "--etcd-certfile=/files/pki/apiserver-etcd-client.crt",
      "--etcd-keyfile=/files/pki/apiserver-etcd-client.key",
      "--allow-privileged=true",
      "--authorization-mode=Node,RBAC",
      "--enable-bootstrap-token-auth=true",
      "--client-ca-file=/files/pki/ca.crt",
      "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
      "--service-account-key-file=/files/pki/sa.pub",
      "--service-account-signing-key-file=/files/pki/sa.key",
      "--service-cluster-ip-range=10.96.0.0/12",
      "--tls-cert-file=/files/pki/apiserver.crt",
      "--tls-private-key-file=/files/pki/apiserver.key",
      "--tls-min-version=VersionTLS13",
      "--shutdown-watch-termination-grace-period=3s",
      "--disable-admission-plugins=StorageObjectInUseProtection,ServiceAccount",
      "--enable-admission-plugins=NodeRestriction",
      "--proxy-client-cert-file=/files/pki/front-proxy-client.crt",
      "--proxy-client-key-file=/files/pki/front-proxy-client.key",
      "--requestheader-client-ca-file=/files/pki/front-proxy-ca.crt",
      "--requestheader-allowed-names=front-proxy-client",
      "--requestheader-extra-headers-prefix=X-Remote-Extra-",
      "--requestheader-group-headers=X-Remote-Group",
      "--requestheader-username-headers=X-Remote-User",
      "--max-requests-inflight=1500",
      "--max-mutating-requests-inflight=500",
      "--v=2",
    ]);
  });
});
