import { z } from "zod";
import type { Context } from "../context.ts";
import { checkKubeconfigAt, kubeconfigKinds, type ReadKubeconfig, readKubeconfig } from "../credentials.ts";
import { fieldNotes, secret, text, whole, words } from "../field.ts";
import {
  checkSshCredentials,
  resolveSshCredentials,
  sshCredentials,
  type SshCredentials,
} from "../placement/ssh-credentials.ts";
import { pathText, type Problem } from "../problems.ts";
import { server } from "../values/address.ts";
import { eachOnce } from "../values/each-once.ts";
import { labelKey, labelled, labelValue } from "../values/labels.ts";
import { name } from "../values/name.ts";
import { taints } from "../values/taints.ts";
import { trigger } from "../values/trigger.ts";
import { cores, duration, size } from "../values/units.ts";
import { agent } from "./agent.ts";
import { resourceModels } from "./resource-models.ts";

const credentialKinds = z.discriminatedUnion("kind", [
  ...kubeconfigKinds,
  sshCredentials,
  z.strictObject({
    kind: z
      .literal("simulated")
      .describe("A cluster of ours: a real API server with nodes that only pretend to run pods."),
    nodes: whole(1, 1000).default(2).describe("Number of nodes."),
    cpu: cores.default("8").describe("Cores of each node."),
    memory: size.default("32Gi").describe("Memory of each node."),
    pods: whole(1, 10000).default(110).describe("Pods each node can run."),
  }),
]);

/** Whatever is typed here instead of an object may be a credential. */
const credentials = credentialKinds.register(fieldNotes, { want: "an object with a kind", hidden: true });

/** One cluster. */
export const member = z.strictObject({
  name: name.describe(
    "Name of the cluster in Karmada, of at most 35 characters where it gets an estimator. To change it, take the member out of the list in an `up` of its own first: a cluster joins once.",
  ),
  syncMode: z
    .enum(["Push", "Pull", "auto"])
    .default("Push")
    .describe(
      "Push: the control plane reaches out to the cluster. Pull: an agent of the cluster reaches out to the control plane. auto: Push where both share an internal network, else Pull. A change of the mode leaves and joins again.",
    ),
  agent,
  networks: z
    .array(words("the name of a network"))
    .default([])
    .describe("Internal networks the cluster is in, by names of your own, for `syncMode: auto`."),
  provider: labelled("provider", "aws").optional().describe("Cloud provider."),
  region: labelled("region", "eu-central-1").optional().describe("Region."),
  zones: z.array(labelled("zone", "eu-central-1a")).superRefine(eachOnce("zone")).default([]).describe("Zones."),
  labels: z
    .record(labelKey, labelValue)
    .default({})
    .describe("Labels of the Cluster object, for policies to select by."),
  resourceModels: resourceModels
    .optional()
    .describe(
      "Grades of nodes by what they have, in which Karmada counts what is free: for policies that divide by available replicas where there is no estimator. Default: Karmada's nine grades of cpu and memory.",
    ),
  taints: taints.default([]).describe("Taints of the Cluster object."),
  credentials: credentials.describe("How the cluster is reached."),
  proxy: server("http://tunnel.example.org:8088", { scheme: "(https?|socks5)" })
    .optional()
    .describe(
      "Proxy by which the control plane reaches the cluster, Karmada's `proxyURL`: the near end of a tunnel, for instance. For a member in Pull mode that is what goes through the Karmada API into the cluster (`clusters/NAME/proxy`), karmada-search, karmada-metrics-adapter and the estimator; its agent reaches it directly. Default: `proxy-url` of the kubeconfig, by which this program reaches it.",
    ),
  proxyHeader: z
    .record(
      text(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'the name of a header such as "Proxy-Authorization"'),
      secret("the value of a header").register(fieldNotes, { want: "the value of a header", secret: true }),
    )
    .default({})
    .describe(
      "Headers that `proxy` is sent with each connection, Karmada's `proxyHeader`, to log in there for instance. Values are secrets in the state; whoever may read Clusters in the Karmada API sees them there. An estimator has no way to send any.",
    ),
  rotate: trigger
    .optional()
    .describe(
      "Replaces what the control plane, the agent and the estimator log in to the cluster with: another text or number than ever before makes new tokens, puts them in use, then revokes the earlier ones. Taking it away does nothing.",
    ),
  rotateEvery: duration
    .optional()
    .describe(
      "How old such a token may become; the first `up` after that replaces it, and says so in the preview. Default: any age.",
    ),
  preserveWorkloads: z
    .boolean()
    .default(false)
    .describe(
      "Leaves in the cluster what Karmada has put there, running and without Karmada's labels, when the member leaves or is joined in another mode after an `up` with it. A policy that is to take it up again wants `conflictResolution: Overwrite`. Default: it is deleted there.",
    ),
  handOver: z
    .boolean()
    .default(false)
    .describe(
      "Lets go of the cluster for another stack: after an `up` with it the member may be taken out of the list, and stays in Karmada with all that runs there until the other stack declares it.",
    ),
});

export const members = z.array(member).default([]).describe("The clusters Karmada manages.");

export const membersMayLeave = z
  .array(name)
  .default([])
  .describe(
    "Members that may be taken out of `members` although policies in the Karmada API name no other cluster. Without it that is refused in the preview. May be taken away again once they have left.",
  );

export type TypedMember = z.output<typeof member>;
type TypedCredentials = TypedMember["credentials"];

/** Credentials with their file read: what the layers above work with. `server` is the API server's URL. */
export type Credentials = ReadKubeconfig | SshCredentials | Extract<TypedCredentials, { kind: "simulated" }>;

/**
 * Finds duplicate names, ignoring case; works on what was typed, however wrong the rest is.
 *
 * @param place says where a member was typed
 */
export function checkNames(typed: unknown, place: (problem: Problem) => Problem): Problem[] {
  const first = new Map<string, number>();
  return (Array.isArray(typed) ? typed : []).flatMap((entry: unknown, i) => {
    const name = (entry as { name?: unknown } | null)?.name;
    if (typeof name !== "string") return [];
    const before = first.get(name.toLowerCase());
    if (before === undefined) {
      first.set(name.toLowerCase(), i);
      return [];
    }
    return [
      {
        path: ["members", i, "name"],
        message: `got "${name}", want another name: ${pathText(place({ path: ["members", before], message: "" }).path)} has it (case does not count)`,
      },
    ];
  });
}

/** Finds credentials that cannot work, without a network. */
export function checkCredentials(members: readonly TypedMember[], context: Context): Problem[] {
  return members.flatMap(({ credentials }, i) => {
    const path = ["members", i, "credentials"];
    switch (credentials.kind) {
      case "simulated":
        return [];
      case "ssh":
        return checkSshCredentials(path, credentials);
      default:
        return checkKubeconfigAt(path, credentials, context);
    }
  });
}

/** Finds simulated clusters in which something is to stay. */
export const checkPreserved = (members: readonly TypedMember[]): Problem[] =>
  members.flatMap(({ preserveWorkloads, credentials }, i) =>
    preserveWorkloads && credentials.kind === "simulated"
      ? [
          {
            path: ["members", i, "preserveWorkloads"],
            message: "got true, want false: the cluster is one that this stack simulates, and ends with the member",
          },
        ]
      : [],
  );

/** Finds headers for a proxy that is not there. */
export const checkProxyHeaders = (members: readonly TypedMember[]): Problem[] =>
  members.flatMap(({ proxy, proxyHeader }, i) =>
    proxy === undefined && Object.keys(proxyHeader).length > 0
      ? [{ path: ["members", i, "proxy"], message: "missing, want the address of the proxy that proxyHeader is for" }]
      : [],
  );

/** Replaces the paths of kubeconfig files by their content. */
export function readCredentials(credentials: TypedCredentials, context: Context): Credentials {
  switch (credentials.kind) {
    case "simulated":
      return credentials;
    case "ssh":
      return resolveSshCredentials(credentials);
    default:
      return readKubeconfig(credentials, context);
  }
}
