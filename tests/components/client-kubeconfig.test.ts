/** The kubeconfigs of declared clients of the Karmada API. */
import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import { deploymentOf } from "./support/deployment.ts";
import { fakePlacement } from "./support/fake-placement.ts";
import { ofEtcd, ofPki, settled, valueOf, withMocks } from "./support/mocks.ts";
import type { Process } from "../../components/process.ts";

const registered = await withMocks({ ...ofPki, ...ofEtcd });
const { Karmada } = await import("../../components/karmada.ts");

class Placed extends pulumi.CustomResource {
  constructor(process: Process, opts: pulumi.CustomResourceOptions) {
    super("test:index:Placed", process.name, {}, opts);
  }
}

function karmada(name: string, pki: object, endpoint?: string) {
  const placed = (process: Process, _files: unknown, opts: pulumi.CustomResourceOptions) => ({
    resource: new Placed(process, opts),
    version: pulumi.output(""),
    revision: pulumi.output("r"),
  });
  const placement = { ...fakePlacement(placed, placed), ...(endpoint !== undefined && { endpoint }) };
  return new Karmada(name, { deployment: deploymentOf({ name, pki }) as never, placement });
}
const clients = [{ name: "argocd" }, { name: "prometheus", user: "scraper", group: "system:monitoring" }];
const plain = karmada("plain", {});
const made = karmada("made", { clients });
const behind = karmada("behind", { clients }, "https://karmada.example.org");
const [kubeconfigs, elsewhere, own, certificates] = await Promise.all([
  valueOf(made.clientKubeconfigs!),
  valueOf(behind.clientKubeconfigs!),
  valueOf(made.kubeconfig),
  valueOf(made.certificates),
]);
await settled();

const serverOf = (kubeconfig: string) => (parse(kubeconfig) as Kubeconfig).clusters[0]!.cluster.server;
interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: { readonly server: string } }[];
  readonly users: readonly { readonly name: string }[];
}
const subjectOf = (certificate: string) =>
  registered.find(({ type, name }) => type.endsWith(":CertRequest") && name === `${certificate}-request`)?.inputs
    .subject;

test("each client comes as its user and group, by a certificate that is listed and renewed as others are", () => {
  expect(subjectOf("made-pki-client-argocd")).toEqual({ commonName: "argocd" });
  expect(subjectOf("made-pki-client-prometheus")).toEqual({ commonName: "scraper", organization: "system:monitoring" });
  const leaf = registered.find(({ name }) => name === "made-pki-client-argocd");
  const other = registered.find(({ name }) => name === "made-pki-admin");
  const { validityPeriodHours, earlyRenewalHours, allowedUses, caCertPem } = other!.inputs;
  expect(leaf?.inputs).toMatchObject({ validityPeriodHours, earlyRenewalHours, allowedUses, caCertPem });
  expect(certificates).toMatchObject({
    "client-argocd": "2027-01-01T00:00:00Z",
    "client-prometheus": expect.any(String),
  });
});

test("their kubeconfigs lead to where the administrator's does, and are secret", async () => {
  expect(Object.keys(kubeconfigs)).toEqual(["argocd", "prometheus"]);
  for (const [name, kubeconfig] of Object.entries(kubeconfigs)) {
    expect(serverOf(kubeconfig)).toBe(serverOf(own));
    expect((parse(kubeconfig) as Kubeconfig).users[0]?.name).toBe(`client-${name}`);
  }
  expect(serverOf(elsewhere["argocd"]!)).toBe("https://karmada.example.org");
  expect(await pulumi.isSecret(made.clientKubeconfigs!)).toBe(true);
});

test("without clients there are neither kubeconfigs nor certificates for them", () => {
  expect(plain.clientKubeconfigs).toBeUndefined();
  expect(registered.filter(({ name }) => name.startsWith("plain-pki-client"))).toEqual([]);
});
