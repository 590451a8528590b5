/** Karmada's webhooks, as far as a propagated workload meets them. */
export function webhooks(server: string, ca: string): { path: string; body: object }[] {
  const caBundle = Buffer.from(ca).toString("base64");
  const entry =
    (kind: "mutate" | "validate") =>
    ({ group, resource, singular }: Target) => ({
      name: `${singular}.karmada.io`,
      rules: [{ operations: ["CREATE", "UPDATE"], apiGroups: [group], apiVersions: ["*"], resources: [resource] }],
      clientConfig: { url: `${server}/${kind}-${singular}`, caBundle },
      failurePolicy: "Fail",
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    });
  const configuration = (name: string, kind: string, hooks: object[]) => ({
    path: `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s/${name}`,
    body: { apiVersion: "admissionregistration.k8s.io/v1", kind, metadata: { name }, webhooks: hooks },
  });
  // Upstream's names.
  return [
    configuration("mutating-config", "MutatingWebhookConfiguration", mutated.map(entry("mutate"))),
    configuration("validating-config", "ValidatingWebhookConfiguration", policies.map(entry("validate"))),
  ];
}

interface Target {
  readonly group: string;
  readonly resource: string;
  readonly singular: string;
}

/** Without the label they get here the scheduler does not look at what they choose. */
const policies: Target[] = [
  { group: "policy.karmada.io", resource: "propagationpolicies", singular: "propagationpolicy" },
  { group: "policy.karmada.io", resource: "clusterpropagationpolicies", singular: "clusterpropagationpolicy" },
];

const mutated: Target[] = [
  ...policies,
  { group: "work.karmada.io", resource: "works", singular: "work" },
  { group: "work.karmada.io", resource: "resourcebindings", singular: "resourcebinding" },
  { group: "work.karmada.io", resource: "clusterresourcebindings", singular: "clusterresourcebinding" },
];
