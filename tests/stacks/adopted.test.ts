import type { ManifestObject } from "../../spec/addons/manifests.ts";
import type { PlaneNow } from "../../stacks/adopted-plane.ts";
import { sealAdoptedProgram } from "../../stacks/sealed/programs.ts";
import { type Made, runStack } from "./support.ts";

const made: Made[] = [];
const object = (kind: string, name: string, more: object = {}): ManifestObject =>
  ({
    apiVersion: kind === "Deployment" ? "apps/v1" : "v1",
    kind,
    metadata: { name, namespace: "karmada-system" },
    ...more,
  }) as ManifestObject;

test("each manifest is a resource of its own, in a host cluster that is only patched", async () => {
  const now: PlaneNow = { members: [{ name: "paris", syncMode: "Push" }] };
  const outputs = await runStack(
    { program: "adopted" },
    {},
    async () => {
      const { adoptedStack } = await import("../../stacks/adopted.ts");
      const kubeconfig = "apiVersion: v1" as never;
      const config = sealAdoptedProgram({
        credentials: { kind: "kubeconfig", kubeconfig, server: "https://host:6443" },
        namespace: "karmada-system",
        objects: [
          { object: object("Deployment", "karmada-scheduler", { spec: { replicas: 1 } }), place: "a", isTaken: true },
          { object: object("Secret", "karmada-cert"), place: "b", isTaken: true },
        ],
      });
      return adoptedStack({ config, now });
    },
    made,
  );
  expect(made.map(({ type, name }) => [type, name])).toEqual([
    ["kubernetes:apps/v1:Deployment", "deployment-karmada-scheduler"],
    ["pulumi:providers:kubernetes", "host-cluster"],
    ["kubernetes:core/v1:Secret", "secret-karmada-cert"],
  ]);
  expect(made[1]!.inputs).toMatchObject({ enableServerSideApply: "false", clusterIdentifier: "karmada-system" });
  expect(made[0]!.inputs).toMatchObject({ spec: { replicas: 1 } });
  expect(outputs).toEqual({
    namespace: "karmada-system",
    objects: ["Deployment karmada-scheduler", "Secret karmada-cert"],
    members: [{ name: "paris", syncMode: "Push" }],
  });
});
