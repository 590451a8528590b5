import { controlPlaneProcesses } from "../../../components/processes/control-plane.ts";
import { managedEtcd } from "../../../components/processes/etcd-cluster.ts";
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

  test("karmada-controller-manager places anew what lost members ran, where that is switched on", () => {
    const failover = (settings: object) =>
      commandLine(controlPlaneProcess("karmada-controller-manager", deploymentOf({ controlPlane: settings })));
    expect(failover({ failover: { enabled: true, purge: "Directly", evictionsPerSecond: 0.5 } }).slice(4)).toEqual([
      "--cluster-status-update-frequency=10s",
      "--rate-limiter-max-delay=10s",
      "--enable-no-execute-taint-eviction=true",
      "--resource-eviction-rate=0.5",
      "--no-execute-taint-eviction-purge-mode=Directly",
      "--feature-gates=Failover=true",
      "--v=2",
    ]);
    const gates = { "karmada-controller-manager": { featureGates: { PropagateDeps: false } } };
    expect(failover({ failover: { enabled: true }, ...gates })).toContain(
      "--feature-gates=Failover=true,PropagateDeps=false",
    );
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

  test("copies of one process, of which a second comes before the first goes, always hold them", () => {
    const { connection } = managedEtcd({ members: ["etcd-0"], version: "3.6.6", quota: "8Gi", extraArgs: {} });
    const planned = controlPlaneProcesses(deploymentOf({}), connection, { copies: true });
    expect(planned["karmada-scheduler"].map(({ name, copies }) => ({ name, copies }))).toEqual([
      { name: "karmada-scheduler", copies: 1 },
    ]);
    for (const [component, namespace] of [
      ["kube-controller-manager", "kube-system"],
      ["karmada-controller-manager", "karmada-system"],
      ["karmada-scheduler", "karmada-system"],
    ] as const) {
      const [process] = planned[component];
      expect(commandLine(process!).filter((arg) => arg.startsWith("--leader-elect"))).toEqual([
        "--leader-elect=true",
        `--leader-elect-resource-namespace=${namespace}`,
      ]);
    }
  });

  test("replicas are copies of one process where the placement copies", () => {
    const { connection } = managedEtcd({ members: ["etcd-0"], version: "3.6.6", quota: "8Gi", extraArgs: {} });
    const two = deploymentOf({ controlPlane: { "karmada-scheduler": { replicas: 2 } } });
    expect(controlPlaneProcesses(two, connection, { copies: true })["karmada-scheduler"]).toMatchObject([
      { name: "karmada-scheduler", copies: 2 },
    ]);
    expect(controlPlaneProcesses(two, connection)["karmada-scheduler"].map(({ name }) => name)).toEqual([
      "karmada-scheduler",
      "karmada-scheduler-1",
    ]);
  });
});
