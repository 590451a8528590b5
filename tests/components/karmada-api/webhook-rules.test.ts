import { mutatingRules, validatingRules } from "../../../components/karmada-api/webhook-rules.ts";

describe("Karmada's webhooks", () => {
  test("the eight that complete objects", () => {
    expect(mutatingRules.map(({ name, path, operations }) => `${name} ${path} ${operations.join()}`)).toEqual([
      "propagationpolicy.karmada.io /mutate-propagationpolicy CREATE,UPDATE",
      "clusterpropagationpolicy.karmada.io /mutate-clusterpropagationpolicy CREATE,UPDATE",
      "overridepolicy.karmada.io /mutate-overridepolicy CREATE,UPDATE",
      "resourcebinding.karmada.io /mutate-resourcebinding CREATE",
      "clusterresourcebinding.karmada.io /mutate-clusterresourcebinding CREATE",
      "work.karmada.io /mutate-work CREATE,UPDATE",
      "autoscaling.karmada.io /mutate-federatedhpa CREATE,UPDATE",
      "multiclusterservice.karmada.io /mutate-multiclusterservice CREATE,UPDATE",
    ]);
  });

  test("the fourteen that check them", () => {
    expect(validatingRules.map(({ group, resource, scope, path }) => `${group}/${resource} ${scope} ${path}`)).toEqual([
      "policy.karmada.io/propagationpolicies Namespaced /validate-propagationpolicy",
      "policy.karmada.io/clusterpropagationpolicies Cluster /validate-clusterpropagationpolicy",
      "policy.karmada.io/overridepolicies Namespaced /validate-overridepolicy",
      "policy.karmada.io/clusteroverridepolicies Cluster /validate-clusteroverridepolicy",
      "config.karmada.io/resourceinterpreterwebhookconfigurations Cluster /validate-resourceinterpreterwebhookconfiguration",
      "config.karmada.io/resourceinterpretercustomizations Cluster /validate-resourceinterpretercustomization",
      "policy.karmada.io/federatedresourcequotas Namespaced /validate-federatedresourcequota",
      "networking.karmada.io/multiclusteringresses Namespaced /validate-multiclusteringress",
      "networking.karmada.io/multiclusterservices Namespaced /validate-multiclusterservice",
      "*/* * /validate-resourcedeletionprotection",
      "work.karmada.io/resourcebindings Namespaced /validate-resourcebinding",
      "autoscaling.karmada.io/federatedhpas Namespaced /validate-federatedhpa",
      "autoscaling.karmada.io/cronfederatedhpas Namespaced /validate-cronfederatedhpa",
      "policy.karmada.io/clustertaintpolicies Cluster /validate-clustertaintpolicy",
    ]);
  });

  test("only three of them are out of the ordinary", () => {
    const special = validatingRules.filter(
      ({ timeoutSeconds, sideEffects, label }) => timeoutSeconds ?? sideEffects ?? label,
    );
    expect(
      special.map(({ name, timeoutSeconds, sideEffects, label }) => [name, timeoutSeconds, sideEffects, label]),
    ).toEqual([
      ["resourceinterpretercustomization.karmada.io", 10, undefined, undefined],
      ["resourcedeletionprotection.karmada.io", undefined, undefined, "resourcetemplate.karmada.io/deletion-protected"],
      ["resourcebinding.karmada.io", undefined, "NoneOnDryRun", undefined],
    ]);
  });
});
