import { z } from "zod";
import type { Sections } from "../deployment.ts";
import { label, networkPolicies, pullPolicy, type TypedKubernetes } from "../placement/kubernetes.ts";
import { nodeSelector, priorityClass, tolerations } from "../placement/pod-settings.ts";
import { login } from "../placement/registry-login.ts";
import { endpoint } from "../values/address.ts";
import { image, prefix } from "../values/image.ts";
import { wait } from "../values/units.ts";
import type { TypedMember } from "./members.ts";

const images = z
  .strictObject({
    karmada: prefix
      .optional()
      .describe("What stands before `/karmada-agent:v<version>`. Default: `docker.io/karmada`."),
    pinned: z
      .strictObject({
        "karmada-agent": image
          .optional()
          .describe("The whole image, for a digest. It has to be of the declared version."),
      })
      .optional()
      .describe("An image by program."),
    pullPolicy: pullPolicy.optional().describe("When nodes pull it. Default: `IfNotPresent`."),
    login: login
      .optional()
      .describe("Logins for the registry, as in `~/.docker/config.json`. Default: what the nodes have."),
  })
  .prefault({})
  .describe(
    "Where its image comes from. Default: as `placement.images` says of those in a host cluster, login too, unless `karmada` or `pinned` is given here.",
  );

const registration = z
  .enum(["certificate", "bootstrapToken"])
  .optional()
  .describe(
    "How the agent gets its certificate for the control plane. certificate: like every program, from the authority. bootstrapToken: kube-controller-manager signs it, as with `karmadactl register`: a token of minutes that may do nothing but ask, and one request, which is approved only when it is the one that was made; both are deleted. Wants `pki.signRequests`. Default: `certificate`; in a stack of the program `members`, which has no authority, `bootstrapToken`.",
  );

/** Where the agent of a member runs, and how it is registered. */
export const agent = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z
        .literal("beside")
        .describe(
          "Beside the control plane: a process of this machine or of one of the hosts, in a host cluster a pod.",
        ),
      registration,
    }),
    z.strictObject({
      kind: z
        .literal("inMember")
        .describe(
          "In the member, on nodes of its own: a Deployment, for a cluster whose network reaches the control plane.",
        ),
      registration,
      server: endpoint
        .optional()
        .describe(
          "The control plane as the member reaches it; its certificate has to be valid for it (`pki.extraNames`). Default: the output `endpoint`.",
        ),
      namespace: label
        .default("karmada-agent")
        .describe("Namespace of the agent in the member, made and deleted with it. Changing this moves the agent."),
      images,
      nodeSelector: nodeSelector.default({}).describe("Labels of the nodes to run on."),
      tolerations: tolerations.default([]).describe("Taints of nodes that are no obstacle."),
      priorityClass: priorityClass.describe("Priority class of its pod."),
      networkPolicies,
      rolloutTimeout: wait.default("5m").describe("How long its pod may take to have its image and to serve."),
    }),
  ])
  .optional()
  .describe(
    "Where the agent of a member in Pull mode runs, and how it is registered. Default: beside the control plane, by a certificate; in a stack of the program `members` in the member, by a bootstrap token.",
  );

type Typed = NonNullable<TypedMember["agent"]>;
type TypedInMember = Extract<Typed, { kind: "inMember" }>;

/** Where an agent runs, everything filled in. */
export type Agent = (Exclude<Typed, TypedInMember> | ReturnType<typeof inMember>) & {
  registration: NonNullable<Typed["registration"]>;
};

/** Where the images of a control plane come from. */
export type PlaneImages = Pick<TypedKubernetes["images"], "karmada" | "pinned" | "pullPolicy" | "login">;

/**
 * Fills in where the agent of a member runs, and what its image follows from.
 * @param images those of the control plane; undefined where it has none
 */
export const resolveAgent = (
  typed: TypedMember["agent"] = { kind: "beside" },
  images: Readonly<PlaneImages> | undefined,
): Agent => ({
  ...(typed.kind === "inMember" ? inMember(typed, images) : typed),
  registration: typed.registration ?? "certificate",
});

/** The images of a control plane in pods. */
export const imagesOfPlane = (placement: Sections["placement"]): PlaneImages | undefined =>
  placement.kind === "kubernetes" ? placement.images : undefined;

function inMember(typed: TypedInMember, ofPlane: Readonly<PlaneImages> | undefined) {
  const { karmada, pinned, ...more } = typed.images;
  const above = karmada === undefined && pinned === undefined ? ofPlane : undefined;
  const images = {
    karmada: karmada ?? above?.karmada ?? "docker.io/karmada",
    pinned: (pinned ?? above?.pinned ?? {}) as Readonly<Record<string, string>>,
    pullPolicy: above?.pullPolicy ?? ("IfNotPresent" as const),
    ...(above?.login !== undefined && { login: above.login }),
    ...more,
  };
  return { ...typed, images };
}
