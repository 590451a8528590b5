import { planFleet } from "../../../components/fleet.ts";
import { deploymentOf } from "../support/deployment.ts";
import { commandLine } from "../support/fake-placement.ts";

const simulated = { kind: "simulated" };
const { agents } = planFleet(
  deploymentOf({
    controlPlane: { "karmada-agent": { featureGates: { MultiClusterService: true }, extraArgs: { "log-dir": "/l" } } },
    members: [
      { name: "m1", credentials: simulated },
      { name: "m2", syncMode: "Pull", credentials: simulated },
    ],
  }),
);
const [[member, agent]] = [...agents] as [[string, NonNullable<ReturnType<typeof agents.get>>]];

describe("karmada-agent", () => {
  test("runs for members in Pull mode only", () => {
    expect([...agents.keys()]).toEqual(["m2"]);
    expect([member, agent.name, agent.program]).toEqual([
      "m2",
      "m2-karmada-agent",
      { name: "karmada-agent", version: "1.18.2" },
    ]);
  });

  test("is told the endpoint that is registered, reports no secrets and elects no leader", () => {
    expect(commandLine(agent)).toEqual([
      "--karmada-kubeconfig=/files/karmada.config",
      "--kubeconfig=/files/member.config",
      "--cluster-name=m2",
      "--cluster-api-endpoint=https://m2-kube-apiserver.test:6443",
      "--report-secrets=None",
      "--leader-elect=false",
      "--cluster-status-update-frequency=10s",
      "--rate-limiter-max-delay=10s",
      "--metrics-bind-address=127.0.0.1:8080",
      "--health-probe-bind-address=127.0.0.1:10357",
      "--feature-gates=MultiClusterService=true",
      "--v=2",
      "--log-dir=/l",
    ]);
  });

  test("is told the proxy that is registered", () => {
    const proxy = "http://tunnel:8088";
    const config = { members: [{ name: "m", syncMode: "Pull", proxy, credentials: simulated }] };
    const { agents: proxied } = planFleet(deploymentOf(config));
    expect(commandLine(proxied.get("m")!)).toContain(`--proxy-server-address=${proxy}`);
  });

  test("logs in to the plane as the agent of its member, and to the member with what it is given", () => {
    expect(agent.certificates).toEqual([
      {
        name: "agent-m2",
        authority: "karmada",
        commonName: "system:karmada:agent:m2",
        organization: "system:karmada:agents",
        usages: ["client"],
      },
    ]);
    expect(agent.files["member.config"]).toEqual({ from: "given" });
  });
});
