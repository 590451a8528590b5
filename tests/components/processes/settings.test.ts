import { commandLine } from "../support/fake-placement.ts";
import { deploymentOf } from "../support/deployment.ts";
import { controlPlaneProcess } from "../support/processes.ts";

const withScheduler = (settings: object) =>
  controlPlaneProcess("karmada-scheduler", deploymentOf({ controlPlane: { "karmada-scheduler": settings } }));

describe("what an operator sets of a component", () => {
  test("feature gates are one flag, in the order of their names", () => {
    const process = withScheduler({ featureGates: { PropagateDeps: false, Failover: true } });
    expect(commandLine(process).slice(-2)).toEqual(["--feature-gates=Failover=true,PropagateDeps=false", "--v=2"]);
  });

  test("extra arguments come last, so they override every other", () => {
    const deployment = deploymentOf({
      controlPlane: {
        "karmada-controller-manager": { logLevel: 4, extraArgs: { "cluster-status-update-frequency": "20s" } },
      },
    });
    const line = commandLine(controlPlaneProcess("karmada-controller-manager", deployment));
    expect(line).toContain("--cluster-status-update-frequency=10s");
    expect(line.slice(-2)).toEqual(["--v=4", "--cluster-status-update-frequency=20s"]);
  });

  test("a flag gets the path of a file that an operator gives to the program", () => {
    const process = withScheduler({
      files: { "ca.crt": { text: "PEM" } },
      extraArgs: { "kube-api-qps": 50, "scheduler-estimator-ca-file": { file: "ca.crt" } },
    });
    expect(process.files["given/ca.crt"]).toEqual({ from: "given" });
    expect(commandLine(process).slice(-2)).toEqual([
      "--kube-api-qps=50",
      "--scheduler-estimator-ca-file=/files/given/ca.crt",
    ]);
  });

  test("a file that says how calls are authorized stands in the place of the modes, with which the API server refuses to start", () => {
    const line = (settings: object) =>
      commandLine(
        controlPlaneProcess("karmada-apiserver", deploymentOf({ controlPlane: { "kube-apiserver": settings } })),
      ).filter((arg) => arg.startsWith("--authorization-"));
    expect(line({ extraArgs: { "authorization-mode": "Webhook" } })).toEqual([
      "--authorization-mode=Node,RBAC",
      "--authorization-mode=Webhook",
    ]);
    expect(
      line({ files: { "a.yaml": { text: "x" } }, extraArgs: { "authorization-config": { file: "a.yaml" } } }),
    ).toEqual(["--authorization-config=/files/given/a.yaml"]);
  });

  test("no name of such a file leaves the modes, without which an API server lets everybody do everything", () => {
    const settings = { "kube-apiserver": { extraArgs: { "authorization-config": "" } } };
    const line = commandLine(controlPlaneProcess("karmada-apiserver", deploymentOf({ controlPlane: settings })));
    expect(line).toContain("--authorization-mode=Node,RBAC");
  });

  test("limits are passed on as they were written", () => {
    expect(withScheduler({ resources: { memory: "512Mi", cpu: "500m" } }).limits).toEqual({
      memory: "512Mi",
      cpu: "500m",
    });
  });

  test("what is kept for it is no limit", () => {
    const process = withScheduler({ resources: { memory: "2Gi", requests: { memory: "256Mi", cpu: "100m" } } });
    expect(process).toMatchObject({ limits: { memory: "2Gi" }, requests: { memory: "256Mi", cpu: "100m" } });
    expect(withScheduler({ resources: { requests: { cpu: "100m" } } })).not.toHaveProperty("limits");
  });

  test("without limits a process has none", () => {
    expect(withScheduler({})).not.toHaveProperty("limits");
    expect(withScheduler({})).not.toHaveProperty("requests");
  });

  test("the first replica keeps its name when a second is added", () => {
    const two = deploymentOf({ controlPlane: { "karmada-scheduler": { replicas: 2 } } });
    const { args } = controlPlaneProcess("karmada-scheduler", two);
    expect(controlPlaneProcess("karmada-scheduler-1", two).args).toEqual(args);
  });

  test("versions of Karmada and Kubernetes choose the programs", () => {
    const older = deploymentOf({ versions: { karmada: "1.17.1", kubernetes: "1.34.3" } });
    expect(controlPlaneProcess("karmada-scheduler", older).program).toEqual({
      name: "karmada-scheduler",
      version: "1.17.1",
    });
    expect(controlPlaneProcess("kube-controller-manager", older).program).toEqual({
      name: "kube-controller-manager",
      version: "1.34.3",
    });
  });
});
