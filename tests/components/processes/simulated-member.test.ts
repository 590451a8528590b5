import { commandLine } from "../support/fake-placement.ts";
import { simulatedProcess } from "../support/processes.ts";

describe("a simulated member", () => {
  test("its API server stores below its own prefix", () => {
    expect(commandLine(simulatedProcess("m1-kube-apiserver"))).toEqual([
      "--bind-address=127.0.0.1",
      "--advertise-address=m1-kube-apiserver.test",
      "--secure-port=6443",
      "--endpoint-reconciler-type=none",
      "--etcd-servers=https://simulated-etcd.test:2379",
      "--etcd-prefix=/m1",
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
      "--service-cluster-ip-range=10.97.0.0/16",
      "--tls-cert-file=/files/pki/apiserver.crt",
      "--tls-private-key-file=/files/pki/apiserver.key",
      "--tls-min-version=VersionTLS13",
      "--shutdown-watch-termination-grace-period=3s",
      "--watch-cache=false",
      "--kubelet-preferred-address-types=InternalIP",
      "--v=1",
    ]);
  });

  test("its controllers sign with its own authority and elect no leader", () => {
    expect(commandLine(simulatedProcess("m1-kube-controller-manager"))).toEqual([
      "--kubeconfig=/files/kubeconfig",
      "--authentication-kubeconfig=/files/kubeconfig",
      "--authorization-kubeconfig=/files/kubeconfig",
      "--bind-address=127.0.0.1",
      "--secure-port=6443",
      "--cert-dir=/data",
      "--leader-elect=false",
      "--controllers=*,-persistentvolume-attach-detach-controller",
      "--cluster-signing-cert-file=/files/pki/ca.crt",
      "--cluster-signing-key-file=/files/pki/ca.key",
      "--root-ca-file=/files/pki/ca.crt",
      "--service-account-private-key-file=/files/pki/sa.key",
      "--use-service-account-credentials=true",
    ]);
  });

  test("its scheduler elects no leader", () => {
    expect(commandLine(simulatedProcess("m1-kube-scheduler"))).toEqual([
      "--kubeconfig=/files/kubeconfig",
      "--authentication-kubeconfig=/files/kubeconfig",
      "--authorization-kubeconfig=/files/kubeconfig",
      "--bind-address=127.0.0.1",
      "--secure-port=6443",
      "--cert-dir=/data",
      "--leader-elect=false",
    ]);
  });

  test("KWOK manages every node", () => {
    expect(commandLine(simulatedProcess("m1-kwok"))).toEqual([
      "--kubeconfig=/files/kubeconfig",
      "--manage-all-nodes=true",
      "--server-address=127.0.0.1:10247",
      "--node-ip=m1-kwok.test",
      "--node-port=10247",
      "--node-lease-duration-seconds=40",
      '--config="/files/stages.yaml"',
    ]);
  });
});
