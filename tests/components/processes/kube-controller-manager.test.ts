import { commandLine } from "../support/fake-placement.ts";
import { controlPlaneProcess } from "../support/processes.ts";

describe("kube-controller-manager", () => {
  test("runs the nine controllers Karmada needs and signs agents' certificates", () => {
    expect(commandLine(controlPlaneProcess("kube-controller-manager"))).toEqual([
      "--kubeconfig=/files/kubeconfig",
      "--authentication-kubeconfig=/files/kubeconfig",
      "--authorization-kubeconfig=/files/kubeconfig",
      "--bind-address=127.0.0.1",
      "--secure-port=6443",
      "--tls-cert-file=/files/pki/kube-controller-manager.crt",
      "--tls-private-key-file=/files/pki/kube-controller-manager.key",
      "--tls-min-version=VersionTLS13",
      "--client-ca-file=/files/pki/ca.crt",
      "--requestheader-client-ca-file=/files/pki/front-proxy-ca.crt",
      "--controllers=namespace,garbagecollector,serviceaccount-token,ttl-after-finished,bootstrapsigner,tokencleaner,csrcleaner,csrsigning,clusterrole-aggregation",
      "--cluster-signing-cert-file=/files/pki/ca.crt",
      "--cluster-signing-key-file=/files/pki/ca.key",
      "--root-ca-file=/files/pki/ca.crt",
      "--service-account-private-key-file=/files/pki/sa.key",
      "--use-service-account-credentials=true",
      "--leader-elect=false",
      "--cluster-name=karmada",
      "--v=2",
    ]);
  });
});
