import { setUp, type Setup } from "./support.ts";

let setup: Setup;
beforeAll(async () => (setup = await setUp()), 120_000);
afterAll(() => setup?.stop());

test.each([
  [
    "extensions/v1beta1",
    "Ingress",
    'apiVersion "extensions/v1beta1/Ingress" was removed in Kubernetes 1.22. Use "networking.k8s.io/v1/Ingress" instead.\n' +
      "See https://git.k8s.io/kubernetes/CHANGELOG/CHANGELOG-1.22.md#deprecation for more information.",
  ],
  ["core/v1", "Endpoints", "v1/Endpoints is deprecated by discovery.k8s.io/v1/EndpointSlice."],
])("a program is told of %s %s", async (module, kind, message) => {
  const apiVersion = module.replace(/^core\//, "");
  await setup.plugin.check(`kubernetes:${module}:${kind}`, { apiVersion, kind, metadata: { name: "a" } });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(setup.plugin.messages.map(({ severity, text }) => [severity, text])).toContainEqual(["warning", message]);
});
