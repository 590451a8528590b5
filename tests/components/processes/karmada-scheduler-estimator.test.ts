import { planFleet } from "../../../components/fleet.ts";
import { deploymentOf } from "../support/deployment.ts";
import { commandLine } from "../support/fake-placement.ts";
import { controlPlaneProcess } from "../support/processes.ts";

const members = [{ name: "m1", credentials: { kind: "simulated" } }];
const deployment = deploymentOf({
  members,
  controlPlane: { "karmada-scheduler-estimator": { enabled: true, logLevel: 4, resources: { memory: "128Mi" } } },
});

describe("karmada-scheduler-estimator", () => {
  const estimator = planFleet(deployment).estimators.get("m1")!;

  test("is there for every member, or for none", () => {
    expect([...planFleet(deployment).estimators.keys()]).toEqual(["m1"]);
    expect([...planFleet(deploymentOf({ members })).estimators.keys()]).toEqual([]);
  });

  test("serves with a certificate of its own, to clients that show one", () => {
    expect(commandLine(estimator)).toEqual([
      "--kubeconfig=/files/member.config",
      "--cluster-name=m1",
      "--server-port=10352",
      "--grpc-auth-cert-file=/files/pki/server.crt",
      "--grpc-auth-key-file=/files/pki/server.key",
      "--grpc-client-ca-file=/files/pki/ca.crt",
      "--metrics-bind-address=127.0.0.1:8080",
      "--health-probe-bind-address=127.0.0.1:10357",
      "--v=4",
    ]);
    expect(estimator.limits).toEqual({ memory: "128Mi" });
    expect(estimator.certificates[0]).toMatchObject({ name: "estimator-m1", authority: "karmada", usages: ["server"] });
  });

  test("is asked by the scheduler, over mutual TLS", () => {
    const args = commandLine(controlPlaneProcess("karmada-scheduler", deployment));
    expect(args).not.toContain("--enable-scheduler-estimator=false");
    expect(args).toEqual(
      expect.arrayContaining([
        "--enable-scheduler-estimator=true",
        "--scheduler-estimator-ca-file=/files/pki/ca.crt",
        "--scheduler-estimator-cert-file=/files/pki/scheduler-estimator-client.crt",
        "--scheduler-estimator-key-file=/files/pki/scheduler-estimator-client.key",
      ]),
    );
  });
});
