import { planBalancers } from "../../components/balancers.ts";
import { managedEtcd } from "../../components/processes/etcd-cluster.ts";
import { controlPlaneProcesses } from "../../components/processes/control-plane.ts";
import { deploymentOf } from "./support/deployment.ts";
import { resolveText } from "./support/fake-placement.ts";

const enabled = { enabled: true };

test("haproxy asks what is behind API servers as its probe does, but karmada-search for what it has before it is led to", () => {
  const hostKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"x".repeat(43)}`;
  const deployment = deploymentOf({
    placement: {
      kind: "hosts",
      ssh: { privateKey: "k3y" },
      hosts: [1, 2, 3].map((n) => ({ name: `host${n}`, address: `10.0.0.1${n}`, ssh: { hostKey } })),
      loadBalancer: { kind: "haproxy", vip: "10.0.0.100" },
    },
    controlPlane: { "karmada-search": enabled, "karmada-metrics-adapter": enabled },
  });
  const members = ["etcd-0", "etcd-1", "etcd-2"];
  const etcd = managedEtcd({ members, version: "3.6.6", quota: "8Gi", extraArgs: {} });
  const [haproxy] = planBalancers(deployment, controlPlaneProcesses(deployment, etcd.connection));
  const source = haproxy!.files["haproxy.cfg"];
  const written = source?.from === "text" ? resolveText(haproxy!, source.text) : "";
  const asked = [...written.matchAll(/^backend (\S+)[^]*?uri (\S+)/gm)].map(([, backend, uri]) => [backend, uri]);
  const exclude = ["start-karmada-informers", "start-karmada-search-controller"].map(
    (hook) => `exclude=poststarthook/${hook}`,
  );
  expect(Object.fromEntries(asked)).toEqual({
    apiservers: "/readyz",
    "karmada-aggregated-apiserver": "/readyz",
    "karmada-search": `/livez?${exclude.join("&")}`,
    "karmada-metrics-adapter": "/readyz",
    "karmada-webhook": "/readyz/",
  });
});
