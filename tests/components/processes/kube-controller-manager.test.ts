import { commandLine } from "../support/fake-placement.ts";
import { deploymentOf } from "../support/deployment.ts";
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

  test("has the one certificate that belongs to its key, where more is trusted", () => {
    const signing = (pki: object) => {
      const process = controlPlaneProcess("kube-controller-manager", deploymentOf({ pki }));
      const [arg] = commandLine(process).filter((arg) => arg.startsWith("--cluster-signing-cert-file"));
      return [arg, process.files["pki/signing-ca.crt"]];
    };
    const apart = { from: "authority-certificate", authority: "karmada" };
    const authorityKeys = { karmada: ["initial", "next"] };
    expect(signing({ authorityKeys })).toEqual(["--cluster-signing-cert-file=/files/pki/signing-ca.crt", apart]);
    for (const pki of [{ authorityKeys: { karmada: ["next"] } }, { authorityKeys, signRequests: false }])
      expect(signing(pki)[1]).toBeUndefined();
  });

  test("signs for as long as certificates are to be valid, where that is longer than it would by itself", () => {
    const durations = (certificateValidity: string, extraArgs: object = {}) => {
      const deployment = deploymentOf({
        pki: { certificateValidity, renewBefore: "1h" },
        controlPlane: { "kube-controller-manager": { extraArgs } },
      });
      const args = commandLine(controlPlaneProcess("kube-controller-manager", deployment));
      return args.filter((arg) => arg.startsWith("--cluster-signing-duration"));
    };
    expect([durations("720h"), durations("525600m")]).toEqual([[], []]);
    expect(durations("87600h")).toEqual(["--cluster-signing-duration=87600h"]);
    // Of a flag that is there twice the last value counts.
    expect(durations("87600h", { "cluster-signing-duration": "168h" }).at(-1)).toBe("--cluster-signing-duration=168h");
  });
});
