import { resolve } from "../../../spec/resolve.ts";
import { context, problemsOf } from "../configuration.ts";

const replicas = "function GetReplicas(desiredObj)\n  return desiredObj.spec.replicas\nend\n";
const target = { apiVersion: "apps.kruise.io/v1alpha1", kind: "CloneSet" };
const customization = (customizations: object, more: object = {}) => ({
  kind: "ResourceInterpreterCustomization",
  name: "clonesets",
  target,
  customizations,
  ...more,
});
const webhook = (clientConfig: object, more: object = {}) => ({ name: "kruise.example.org", clientConfig, ...more });
const configuration = (...webhooks: object[]) => ({
  kind: "ResourceInterpreterWebhookConfiguration",
  name: "kruise",
  webhooks,
});
const pem = "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n";
const files = {
  "replicas.lua": { text: replicas },
  "ca.crt": { text: pem },
  "gone.lua": { error: 'got "gone.lua", but there is no such file: /project/gone.lua' },
};
const problemsWith = (...policies: object[]) => problemsOf({ policies }, { files });

test("scripts come from the stack file and from files, and the object has the scripts", () => {
  const health = "function InterpretHealth(observedObj) return true end";
  const policies = [
    customization({ replicaResource: { luaFile: "replicas.lua" }, healthInterpretation: { luaScript: health } }),
  ];
  expect(resolve({ policies }, { ...context, files }).policies).toEqual([
    {
      kind: "ResourceInterpreterCustomization",
      name: "clonesets",
      spec: {
        target,
        customizations: { replicaResource: { luaScript: replicas }, healthInterpretation: { luaScript: health } },
      },
    },
  ]);
});

test("a script that is not there, or lacks its function, is found before anything starts", () => {
  expect(
    problemsWith(
      customization({}),
      customization({ retention: {}, replicaResource: { luaFile: "gone.lua" } }, { name: "two" }),
      customization(
        {
          retention: { luaScript: replicas, luaFile: "replicas.lua" },
          replicaRevision: { luaFile: "replicas.lua" },
          health: { luaScript: "x" },
        },
        { name: "three" },
      ),
    ),
  ).toEqual([
    "policies[2].customizations.health: unknown key, want one of retention, replicaResource, componentResource, replicaRevision, statusReflection, statusAggregation, healthInterpretation, dependencyInterpretation",
  ]);
  expect(
    problemsWith(
      customization({}),
      customization({ retention: {}, replicaResource: { luaFile: "gone.lua" } }, { name: "two" }),
      customization(
        {
          retention: { luaScript: replicas, luaFile: "replicas.lua" },
          replicaRevision: { luaFile: "replicas.lua" },
        },
        { name: "three", target: { ...target, kind: "DaemonSet" } },
      ),
    ),
  ).toEqual([
    "policies[0].customizations: got none, want retention, replicaResource, componentResource, replicaRevision, statusReflection, statusAggregation, healthInterpretation, dependencyInterpretation",
    "policies[1].customizations.retention: got none of them, want one of luaScript and luaFile",
    'policies[1].customizations.replicaResource.luaFile: got "gone.lua", but there is no such file: /project/gone.lua',
    "policies[2].customizations.retention: got both, want one of luaScript and luaFile",
    "policies[2].customizations.replicaRevision.luaFile: got a script without ReviseReplica, want one that defines the function ReviseReplica",
  ]);
});

test("two that say the same of one kind are refused, as Karmada does; of what it depends on several may speak", () => {
  const script = { luaFile: "replicas.lua" };
  const dependencies = { luaScript: "function GetDependencies(desiredObj) return {} end" };
  expect(
    problemsWith(
      customization({ replicaResource: script, dependencyInterpretation: dependencies }),
      customization({ replicaResource: script, dependencyInterpretation: dependencies }, { name: "again" }),
      customization({ replicaResource: script }, { name: "other", target: { ...target, kind: "DaemonSet" } }),
    ),
  ).toEqual([
    'policies[1].customizations.replicaResource: says of apps.kruise.io/v1alpha1 CloneSet what "clonesets" says, want it in one of them',
  ]);
});

test("servers that are asked have the authorities in base64, and upstream's defaults", () => {
  const rules = [{ operations: ["InterpretReplica"], apiGroups: [""], apiVersions: ["v1"], kinds: ["Pod"] }];
  const url = "https://interpreter.example.org/kruise";
  const policies = [
    configuration(
      webhook({ url, caFile: "ca.crt" }, { rules }),
      webhook({ service: { namespace: "kruise", name: "interpreter" }, caBundle: pem }, { name: "a.b.c" }),
    ),
  ];
  const caBundle = Buffer.from(pem).toString("base64");
  const defaults = { timeoutSeconds: 10, interpreterContextVersions: ["v1alpha1"] };
  expect(resolve({ policies }, { ...context, files }).policies).toEqual([
    {
      kind: "ResourceInterpreterWebhookConfiguration",
      name: "kruise",
      webhooks: [
        { name: "kruise.example.org", rules, ...defaults, clientConfig: { url, caBundle } },
        {
          name: "a.b.c",
          rules: [],
          ...defaults,
          clientConfig: { service: { namespace: "kruise", name: "interpreter", port: 443 }, caBundle },
        },
      ],
    },
  ]);
});

test("a server that Karmada's webhook would refuse is found before anything starts", () => {
  const rules = [
    { operations: ["*", "Retain"], apiGroups: ["*"], apiVersions: ["*"], kinds: ["*", "Pod"] },
    { operations: ["Retain"], apiGroups: ["apps"], apiVersions: ["v1"], kinds: ["Deployment"] },
  ];
  expect(problemsWith(configuration(webhook({ url: "http://a" }, { name: "kruise", timeoutSeconds: 60 })))).toEqual([
    'policies[0].webhooks[0].name: got "kruise", want a name with two dots or more, such as "kruise.example.org"',
    'policies[0].webhooks[0].clientConfig.url: got "http://a", want an address such as "https://interpreter.example.org/kruise"',
    "policies[0].webhooks[0].timeoutSeconds: got 60, want a whole number from 1 to 30",
  ]);
  expect(
    problemsWith(
      configuration(webhook({}, { rules }), webhook({ url: "https://a", caFile: "replicas.lua" }), {
        name: "x.y.z",
        clientConfig: { url: "https://a", service: { namespace: "a", name: "b" }, caFile: "ca.crt", caBundle: pem },
      }),
    ),
  ).toEqual([
    "policies[0].webhooks[0].clientConfig: got none of them, want one of url and service",
    'policies[0].webhooks[0].rules[0].operations: got "*" and others, want it alone',
    'policies[0].webhooks[0].rules[0].kinds: got "*" and others, want it alone',
    'policies[0].webhooks[1].name: got "kruise.example.org", want another name: webhooks[0] has it',
    'policies[0].webhooks[1].clientConfig.caFile: got "replicas.lua", which has no certificate as PEM text',
    "policies[0].webhooks[2].clientConfig: got both, want one of url and service",
    "policies[0].webhooks[2].clientConfig: got both, want one of caBundle and caFile",
  ]);
});
