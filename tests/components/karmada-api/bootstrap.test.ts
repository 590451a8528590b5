import * as pulumi from "@pulumi/pulumi";
import { settled, withMocks } from "../support/mocks.ts";

const registered = await withMocks({});
const { createBootstrap } = await import("../../../components/karmada-api/bootstrap.ts");

/** What may be asked for without an administrator, by who: the subjects of each binding that is made. */
async function granted(name: string, karmadactlRegister: boolean): Promise<Record<string, string[]>> {
  const api = { url: "https://karmada.test", authority: pulumi.output("CA"), karmadactlRegister };
  createBootstrap(name, api, {});
  await settled();
  const bindings = registered.filter((each) => each.name.startsWith(`${name}-`) && each.type.endsWith("Binding"));
  return Object.fromEntries(
    bindings.map(({ inputs }) => {
      const { metadata, subjects } = inputs as { metadata: { name: string }; subjects: { name: string }[] };
      return [metadata.name, subjects.map((subject) => subject.name)];
    }),
  );
}

const tokens = ["system:bootstrappers:karmada:default-cluster-token"];
const plain = {
  "system:karmada:bootstrap-signer-clusterinfo": ["system:anonymous"],
  "system:karmada:agent-bootstrap": tokens,
  "system:karmada:agent-autoapprove-certificate-rotation": ["system:karmada:agents"],
};

test("a token lets nobody be an agent or an administrator by itself", async () => {
  expect(await granted("plain", false)).toEqual(plain);
});

test("karmadactl register gets what upstream grants for it, on request", async () => {
  expect(await granted("asked", true)).toEqual({
    ...plain,
    "system:karmada:agent-autoapprove-bootstrap": tokens,
    "system:karmada:agent-rbac-generator": ["system:karmada:agent:rbac-generator"],
  });
});
