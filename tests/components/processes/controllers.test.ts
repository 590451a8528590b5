import { commandLine } from "../support/fake-placement.ts";
import { deploymentOf } from "../support/deployment.ts";
import { controlPlaneProcess } from "../support/processes.ts";

describe("the controllers", () => {
  test("karmada-controller-manager retries at least every ten seconds", () => {
    expect(commandLine(controlPlaneProcess("karmada-controller-manager"))).toEqual([
      "--kubeconfig=/files/karmada.config",
      "--metrics-bind-address=127.0.0.1:8080",
      "--health-probe-bind-address=127.0.0.1:10357",
      "--leader-elect=false",
      "--cluster-status-update-frequency=10s",
      "--rate-limiter-max-delay=10s",
      "--v=2",
    ]);
  });

  test("karmada-scheduler does not wait for estimators nobody runs", () => {
    expect(commandLine(controlPlaneProcess("karmada-scheduler"))).toEqual([
      "--kubeconfig=/files/karmada.config",
      "--metrics-bind-address=127.0.0.1:8080",
      "--health-probe-bind-address=127.0.0.1:10357",
      "--leader-elect=false",
      "--enable-scheduler-estimator=false",
      "--v=2",
    ]);
  });

  test("karmada-descheduler speaks mutual TLS to estimators", () => {
    expect(commandLine(controlPlaneProcess("karmada-descheduler"))).toEqual([
      "--kubeconfig=/files/karmada.config",
      "--metrics-bind-address=127.0.0.1:8080",
      "--health-probe-bind-address=127.0.0.1:10357",
      "--leader-elect=false",
      "--scheduler-estimator-ca-file=/files/pki/ca.crt",
      "--scheduler-estimator-cert-file=/files/pki/scheduler-estimator-client.crt",
      "--scheduler-estimator-key-file=/files/pki/scheduler-estimator-client.key",
      "--v=2",
    ]);
  });

  test("only replicas hold elections", () => {
    const three = deploymentOf({ controlPlane: { "karmada-scheduler": { replicas: 3 } } });
    const args = commandLine(controlPlaneProcess("karmada-scheduler", three));
    expect(args.filter((arg) => arg.startsWith("--leader-elect"))).toEqual([
      "--leader-elect=true",
      "--leader-elect-resource-namespace=karmada-system",
    ]);
  });
});
