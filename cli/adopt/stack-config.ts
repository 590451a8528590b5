import type { ForeignMember } from "../../lib/adoption/members.ts";
import type { ForeignPlane } from "../../lib/adoption/plane.ts";
import { isOwnAccount } from "../../lib/members/own-account.ts";
import { estimator, type ProgramName } from "../../lib/adoption/workloads.ts";
import { componentsOf } from "./components.ts";
import { exposureOf } from "./exposure.ts";
import { imagesOf } from "./images.ts";
import { chooseVersions } from "./versions.ts";

/** What is found, and where it is to go. */
export interface Found {
  readonly plane: ForeignPlane;
  readonly members: readonly ForeignMember[];
  /** Addresses of each of the host cluster's nodes. */
  readonly nodes: readonly (readonly string[])[];
}

export interface Wanted {
  readonly stack: string;
  /** Namespace of the new plane. */
  readonly namespace: string;
  /** Kubeconfig of the host cluster: its whole path. */
  readonly kubeconfig: string;
  readonly context: string | undefined;
  /** Snapshot of its etcd: its whole path. */
  readonly snapshot: string;
}

/** A future stack file, with its secrets separate. */
export interface AdoptedStack {
  /** By key, without `karmada:`. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Paths in it, and the values to encrypt there. */
  readonly secrets: readonly (readonly [path: string, text: string])[];
  /** What differs from before, or is not carried over. */
  readonly notes: readonly string[];
}

/** The stack that takes over from a plane built by something else. */
export function adoptedStack({ plane, members, nodes }: Found, wanted: Wanted): AdoptedStack {
  const { versions, notes } = chooseVersions({
    karmada: imageOf(plane, "karmada-controller-manager"),
    kubernetes: imageOf(plane, "kube-apiserver"),
    etcd: plane.etcd.workload.image,
  });
  const images = imagesOf(imageOf(plane, "karmada-controller-manager"), imageOf(plane, "kube-apiserver"));
  const exposure = exposureOf(plane, nodes);
  const components = componentsOf(plane.workloads);
  const push = members.filter(({ kubeconfig }) => kubeconfig !== undefined);
  const { karmada, "front-proxy": front } = plane.authorities;
  return {
    config: {
      versions,
      placement: {
        kind: "kubernetes",
        credentials: {
          kind: "kubeconfigFile",
          path: wanted.kubeconfig,
          ...(wanted.context && { context: wanted.context }),
        },
        namespace: wanted.namespace,
        clusterDomain: plane.clusterDomain,
        ...(images.images && { images: images.images }),
        exposure: exposure.settings,
      },
      pki: {
        extraNames: plane.names,
        authorities: {
          karmada: { certificate: karmada.certificate },
          ...(front && { "front-proxy": { certificate: front.certificate } }),
        },
      },
      etcd: {
        kind: "managed",
        members: plane.etcd.workload.replicas,
        restore: {
          generation: 1,
          replaceClusterId: "none",
          allowForeignSnapshot: true,
          source: { kind: "file", path: wanted.snapshot },
        },
      },
      controlPlane: components.settings,
      members: push.map(({ name, provider, region, zones }) => ({
        name,
        ...(provider && { provider }),
        ...(region && { region }),
        ...(zones.length > 0 && { zones }),
        credentials: { kind: "kubeconfig" },
      })),
    },
    secrets: [
      ["pki.authorities.karmada.key", karmada.key],
      ...(front ? [["pki.authorities.front-proxy.key", front.key] as const] : []),
      ["pki.serviceAccountKey", plane.serviceAccountKey],
      ...push.map(({ kubeconfig = "" }, i) => [`members[${i}].credentials.kubeconfig`, kubeconfig] as const),
    ],
    notes: [...notes, ...images.notes, ...exposure.notes, ...components.notes, ...left(plane, members)],
  };
}

const imageOf = ({ workloads }: ForeignPlane, program: ProgramName): string =>
  workloads.find((each) => each.program === program)?.image ?? "";

function left({ authorities, workloads, maker }: ForeignPlane, members: readonly ForeignMember[]): string[] {
  return [
    ...(authorities["front-proxy"]
      ? []
      : ["the front proxy gets an authority of its own: the key of the one it had is not there"]),
    ...members.flatMap(({ name, kubeconfig }) =>
      kubeconfig !== undefined && isOwnAccount(kubeconfig, name)
        ? [
            `${name}: is logged in to by Karmada's own account there; give an administrator's kubeconfig before its rotate, rotateEvery or preserveWorkloads`,
          ]
        : [],
    ),
    ...members.flatMap(({ name, syncMode, kubeconfig }) => {
      if (syncMode === "Pull")
        return [
          `${name}: in Pull mode; its registration and its agent stay as they are, and it is not among members: declare it there with credentials of yours to have an agent of this program take the place of the one it has, which you end then. An agent that renews its certificate needs pki.signRequests`,
        ];
      return kubeconfig === undefined
        ? [`${name}: the plane has no token for it; its registration stays, declare it with credentials of yours`]
        : [];
    }),
    ...(maker === "karmada-operator"
      ? [
          "karmada-operator starts again what is ended: scale it to 0 before --fence, and delete the Karmada object only once the new plane has proved itself",
        ]
      : []),
    ...(workloads.some(({ program }) => program === estimator)
      ? ["estimators are made anew, one for each member of the stack file"]
      : []),
  ];
}
