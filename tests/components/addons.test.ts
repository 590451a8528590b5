import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { stringify } from "yaml";
import { resolve } from "../../spec/resolve.ts";
import type { WayToMember } from "../../components/addons.ts";
import { base64 } from "../../lib/base64.ts";
import { sha256 } from "../../lib/sha256.ts";
import { createAuthority } from "../support/certificates.ts";
import { settled, valueOf, withMocks } from "./support/mocks.ts";

const registered = await withMocks();
const { createAddons } = await import("../../components/addons.ts");
const { certificatesOfAddons, rolledWith } = await import("../../components/addon-certificates.ts");

/** Stands for what a cluster needs to be there. */
class Thing extends pulumi.CustomResource {
  constructor(name: string) {
    super("test:index:Thing", name, {});
  }
}

const object = (apiVersion: string, kind: string, name: string, more: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name },
  ...more,
});
const crd = object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "shops.example.org", {
  spec: { group: "example.org", scope: "Namespaced", names: { kind: "Shop" } },
});
const manifests: Record<string, object[]> = {
  "shop.yaml": [
    object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "shop"),
    object("apps/v1", "Deployment", "shop"),
    object("example.org/v1beta1", "Shop", "first"),
    object("v1", "Secret", "key", { stringData: { key: "t0p" } }),
    object("v1", "Namespace", "shops"),
    crd,
  ],
  "web.yaml": [
    object("apps/v1", "Deployment", "web"),
    {
      ...object("v1", "ConfigMap", "web"),
      metadata: { name: "web", annotations: { "pulumi.com/skipAwait": "true" } },
    },
    object("policy.karmada.io/v1alpha1", "OverridePolicy", "web"),
    object("v1", "Namespace", "web"),
  ],
  "tunnel.yaml": [
    object("apps/v1", "Deployment", "user", {
      spec: {
        template: {
          metadata: { annotations: { of: "its own" } },
          spec: { volumes: [{ name: "certificate", secret: { secretName: "tunnel" } }] },
        },
      },
    }),
    object("apps/v1", "DaemonSet", "projected", {
      spec: {
        template: { spec: { volumes: [{ name: "all", projected: { sources: [{ secret: { name: "tunnel" } }] } }] } },
      },
    }),
    object("apps/v1", "StatefulSet", "environment", {
      spec: { template: { spec: { containers: [{ name: "a", envFrom: [{ secretRef: { name: "tunnel" } }] }] } } },
    }),
    object("apps/v1", "Deployment", "of-another", {
      spec: { template: { spec: { volumes: [{ name: "certificate", secret: { secretName: "other" } }] } } },
    }),
    object("v1", "Namespace", "tunnel"),
  ],
  "plain.yaml": [object("apps/v1", "Deployment", "plain")],
  "host.yaml": [
    object("v1", "ConfigMap", "host"),
    {
      ...object("v1", "ConfigMap", "kept"),
      metadata: { name: "kept", annotations: { "helm.sh/resource-policy": "keep" } },
    },
  ],
};
const addon = (name: string, target: object, more: object = {}) => ({
  name,
  source: { kind: "manifest", file: `${name}.yaml` },
  target,
  ...more,
});
const certificates = [{ secret: "tunnel", names: ["t.example.org"] }];
const { addons } = resolve(
  {
    members: ["m1", "m2"].map((name) => ({ name, credentials: { kind: "simulated" } })),
    addons: [
      addon("web", { kind: "propagated", labels: { tier: "gold" } }, { after: ["shop"] }),
      addon("shop", { kind: "members" }, { namespace: "shops", timeout: "3m" }),
      addon("plain", { kind: "members", members: ["m2"] }, { wait: false, after: ["shop"] }),
      addon("tunnel", { kind: "members" }, { namespace: "tunnel", certificates }),
    ],
  },
  {
    stack: "test",
    directory: "/stack",
    files: Object.fromEntries(
      Object.entries(manifests).map(([file, all]) => [
        file,
        { text: all.map((each) => stringify(each)).join("---\n") },
      ]),
    ),
  },
);
const hostAddon = {
  name: "host",
  target: { kind: "host" },
  namespace: "default",
  certificates: [],
  after: [],
  wait: true,
  timeout: "10m",
  omitted: [],
} as const;
const owner = new Thing("etcd");
createAddons(
  "prod",
  [...addons, { ...hostAddon, objects: manifests["host.yaml"] as never }],
  {
    karmada: { kubeconfig: "of Karmada", needs: [new Thing("gate")], owner },
    members: new Map<string, WayToMember>([
      ["m1", { kubeconfig: "of m1", needs: [new Thing("m1-joined")], labels: {} }],
      ["m2", { kubeconfig: "of m2", needs: [new Thing("m2-joined")], labels: { tier: "gold" }, owner }],
    ]),
    host: { provider: new k8s.Provider("host-cluster", {}), needs: [new Thing("namespace")] },
    pki: {
      trust: (authority) => pulumi.output(`trust in ${authority}`),
      pair: (name) => ({
        certificate: pulumi.output(`of ${name}`),
        key: pulumi.secret(`key of ${name}`),
        expires: pulumi.output("2027-01-01T00:00:00Z"),
      }),
    },
  },
  new Thing("karmada"),
);
await settled();

const named = (name: string) => {
  const found = registered.find((resource) => resource.name === name);
  if (found === undefined) throw new Error(`nothing is called ${name}`);
  return found;
};

test("each cluster that is used has one provider, which a change of its kubeconfig does not replace", () => {
  const providers = registered.filter(({ type }) => type === "pulumi:providers:kubernetes");
  expect(providers.map(({ name, inputs }) => [name, inputs.clusterIdentifier]).sort()).toEqual([
    ["host-cluster", undefined],
    ["prod-addons-karmada", "prod-karmada"],
    ["prod-addons-member-m1", "prod-member-m1"],
    ["prod-addons-member-m2", "prod-member-m2"],
  ]);
  expect(named("prod-addons-karmada").inputs.enablePatchForce).toBeUndefined();
  expect(named("prod-addons-member-m1").dependsOn).toEqual(["m1-joined"]);
});

test("kinds and namespaces come first, what intercepts calls last, in every member by itself", () => {
  const ground = [
    "prod-addons-member-m1/CustomResourceDefinition/shops.example.org",
    "prod-addons-member-m1/Namespace/shops",
  ];
  const rest = ["Deployment/shops/shop", "Secret/shops/key", "Shop/shops/first"].map(
    (id) => `prod-addons-member-m1/${id}`,
  );
  for (const name of ground) expect(named(name).dependsOn).toEqual(["m1-joined"]);
  for (const name of rest) expect(named(name).dependsOn).toEqual(ground);
  expect(named("prod-addons-member-m1/ValidatingWebhookConfiguration/shop").dependsOn).toEqual(rest);
  expect(named("prod-addons-member-m2/Namespace/shops").dependsOn).toEqual(["m2-joined"]);
  expect(named("prod-addons-member-m2/Namespace/shops").deletedWith).toBe("etcd");
  expect(named("prod-addons-member-m1/Namespace/shops").deletedWith).toBe("");
});

test("an object is of its own type, labelled with its addon, and children of one component", () => {
  const shop = named("prod-addons-member-m1/Shop/shops/first");
  expect([shop.type, shop.parent]).toEqual(["kubernetes:example.org/v1beta1:Shop", "prod-addon-shop"]);
  expect(shop.inputs.metadata).toEqual({
    name: "first",
    namespace: "shops",
    labels: { "karmada-pulumi/addon": "shop" },
  });
  expect(named("prod-addons-member-m1/Namespace/shops").type).toBe("kubernetes:core/v1:Namespace");
  expect(named("prod-addon-shop").type).toBe("karmada:index:Addon");
});

test("the contents of a Secret are a Pulumi secret", () => {
  expect(JSON.stringify(named("prod-addons-member-m1/Secret/shops/key").inputs.stringData)).toContain(
    "1b47061264138c4ac30d75fd1eb44270",
  );
});

test("the policy comes first and selects what the addon has by name, but for namespaces and what is Karmada's", () => {
  const policy = named("prod-addons-karmada/ClusterPropagationPolicy/addon-web");
  expect(policy.inputs.metadata.annotations).toEqual({ "pulumi.com/deletionPropagationPolicy": "background" });
  expect(policy.inputs.spec).toEqual({
    resourceSelectors: [
      { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "web" },
      { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "web" },
    ],
    placement: { clusterAffinity: { labelSelector: { matchLabels: { tier: "gold" } } } },
  });
  expect(named("prod-addons-karmada/Namespace/web").dependsOn).toEqual([policy.name]);
  expect(named("prod-addons-karmada/ConfigMap/default/web").dependsOn).toEqual(["prod-addons-karmada/Namespace/web"]);
});

test("an addon begins when all of those before it are there, wherever they stand in the list", () => {
  expect(named("prod-addons-karmada/ClusterPropagationPolicy/addon-web").dependsOn).toEqual([
    "gate",
    "prod-addons-member-m1/ValidatingWebhookConfiguration/shop",
    "prod-addons-member-m2/ValidatingWebhookConfiguration/shop",
  ]);
});

test("in a member it begins when those before it are there, whatever becomes of the others", () => {
  expect(named("prod-addons-member-m2/Deployment/default/plain").dependsOn).toEqual([
    "m2-joined",
    "prod-addons-member-m2/ValidatingWebhookConfiguration/shop",
  ]);
});

test("workloads are waited for where they run, unless that is not wanted; namespaces and kinds always", () => {
  const skips = (name: string) => named(name).inputs.metadata.annotations?.["pulumi.com/skipAwait"] === "true";
  expect(skips("prod-addons-member-m1/Deployment/shops/shop")).toBe(false);
  expect(skips("prod-addons-karmada/Deployment/default/web")).toBe(true);
  expect(skips("prod-addons-karmada/ConfigMap/default/web")).toBe(true);
  expect(skips("prod-addons-member-m2/Deployment/default/plain")).toBe(true);
});

test("what is propagated is waited for in the members that are meant, once they have joined", () => {
  const { type, inputs, dependsOn } = named("prod-addon-web-rollout");
  expect(type).toBe("pulumi-nodejs:dynamic/members:Rollout");
  expect(inputs).toMatchObject({
    title: "addon web",
    policy: "addon-web",
    objects: [
      { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "web", ready: true },
      { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "web", ready: false },
    ],
    members: ["m2"],
    timeoutSeconds: 600,
  });
  expect(dependsOn).toEqual([
    "m2-joined",
    "prod-addons-karmada/ConfigMap/default/web",
    "prod-addons-karmada/Deployment/default/web",
    "prod-addons-karmada/OverridePolicy/default/web",
  ]);
  expect(registered.filter((resource) => resource.type === type)).toHaveLength(1);
});

test("the host cluster's own provider is used", () => {
  expect(named("prod-addons-host/ConfigMap/host").dependsOn).toEqual(["namespace"]);
});

test("an object annotated helm.sh/resource-policy: keep is retained when its addon is removed", () => {
  expect(named("prod-addons-host/ConfigMap/kept").retainOnDelete).toBe(true);
  expect(named("prod-addons-host/ConfigMap/host").retainOnDelete).toBe(false);
});

test("an addon has a certificate for each cluster, by an authority of their own, a client's only where it has no names", () => {
  const of = (target: object, names: string[]) =>
    certificatesOfAddons([{ ...hostAddon, target, certificates: [{ secret: "web", names }], objects: [] } as never]);
  const request = { authority: "addons", usages: ["server", "client"], hosts: ["t.example.org"] };
  expect(certificatesOfAddons(addons)).toEqual([
    { name: "addon-tunnel/tunnel/m1", commonName: "tunnel:tunnel:m1", ...request },
    { name: "addon-tunnel/tunnel/m2", commonName: "tunnel:tunnel:m2", ...request },
  ]);
  expect(of({ kind: "host" }, [])).toEqual([
    { name: "addon-host/web", commonName: "host:web", authority: "addons", usages: ["client"], hosts: [] },
  ]);
});

test("a certificate is a Secret between its namespace and what uses it", () => {
  const { type, inputs, dependsOn } = named("prod-addons-member-m2/Secret/tunnel/tunnel");
  expect([type, inputs.type, dependsOn]).toEqual([
    "kubernetes:core/v1:Secret",
    "kubernetes.io/tls",
    ["prod-addons-member-m2/Namespace/tunnel"],
  ]);
  const data = inputs.data.value ?? inputs.data;
  expect(Object.entries(data).map(([file, text]) => [file, Buffer.from(String(text), "base64").toString()])).toEqual([
    ["ca.crt", "trust in addons"],
    ["tls.crt", "of addon-tunnel/tunnel/m2"],
    ["tls.key", "key of addon-tunnel/tunnel/m2"],
  ]);
  expect(inputs.data.value).toBeDefined();
  expect(named("prod-addons-member-m2/Deployment/tunnel/user").dependsOn).toEqual([
    "prod-addons-member-m2/Secret/tunnel/tunnel",
  ]);
});

test("pods go with what they trust where that is several authorities", async () => {
  const authorities = await Promise.all(["a", "b"].map(async (name) => (await createAuthority(name)).certificate));
  const digestWith = async (trusted: string) => {
    const data = { "ca.crt": pulumi.output(base64(trusted)), "tls.crt": pulumi.output("SHOWN") };
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "web", namespace: "x" }, data };
    const volumes = [{ secret: { secretName: "web" } }];
    const user = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "user", namespace: "x" } };
    const rolled = rolledWith({ ...user, spec: { template: { spec: { volumes } } } } as never, [secret] as never);
    const { template } = rolled["spec"] as { template: { metadata: { annotations: Record<string, string> } } };
    return valueOf(pulumi.output(template.metadata.annotations["karmada-pulumi/certificates"]));
  };
  expect(await digestWith(authorities[0]!)).toBe(sha256("SHOWN"));
  expect(await digestWith(authorities.join("\n"))).not.toBe(sha256("SHOWN"));
});

test("pods go with the certificate they use, others do not", () => {
  const annotationsOf = (id: string) =>
    named(`prod-addons-member-${id}`).inputs.spec.template.metadata?.annotations as Record<string, string> | undefined;
  const digest = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(annotationsOf("m1/Deployment/tunnel/user")).toEqual({ of: "its own", "karmada-pulumi/certificates": digest });
  for (const id of ["m1/DaemonSet/tunnel/projected", "m1/StatefulSet/tunnel/environment"])
    expect(annotationsOf(id)).toEqual({ "karmada-pulumi/certificates": digest });
  expect(annotationsOf("m2/Deployment/tunnel/user")).not.toEqual(annotationsOf("m1/Deployment/tunnel/user"));
  expect(annotationsOf("m1/Deployment/tunnel/of-another")).toBeUndefined();
});
