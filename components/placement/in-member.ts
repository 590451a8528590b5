import * as pulumi from "@pulumi/pulumi";
import { agentAccount } from "../../lib/members/names.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { AgentHome } from "../../providers/agent-home.ts";
import type { Resolved } from "../../spec/field.ts";
import { clusterProvider } from "../cluster-provider.ts";
import type { Agent } from "../../spec/members/agent.ts";
import type { FileContents, PlacedProcess } from "../placement.ts";
import type { Process, ToolchainProgram } from "../process.ts";
import { deploymentOf } from "./kubernetes-deployment.ts";
import { imageFrom } from "./kubernetes-images.ts";
import { KubernetesNames } from "./kubernetes-names.ts";
import { policiesOf } from "./kubernetes-network-policy.ts";
import { filesDigest, filesOf, loginOf } from "./kubernetes-objects.ts";
import { podSpec } from "./kubernetes-pod.ts";
import { argumentsOf } from "./kubernetes-refs.ts";

/** How an agent runs in its member, from the stack file. */
export type InMember = Extract<Resolved<Agent, pulumi.Output<string>>, { kind: "inMember" }>;

/** What an agent in its member is placed with. */
export interface AgentInMember {
  readonly agent: Process;
  readonly files: FileContents;
  readonly settings: InMember;
  /** Has the namespace and the account. Deleting it takes everything here along. */
  readonly home: AgentHome;
  /** Kubeconfig of the member, with every right. */
  readonly memberKubeconfig: pulumi.Input<string>;
  /** Restarts the agent when it changes. */
  readonly follows: pulumi.Output<string> | undefined;
}

/**
 * Runs the agent of a member in a pod of the member: the same kind of pod as in a host cluster, with its own account.
 */
export function placeInMember(
  name: string,
  { agent, files, settings, home, memberKubeconfig, follows }: AgentInMember,
  opts: pulumi.CustomResourceOptions,
): PlacedProcess {
  const { namespace, images, networkPolicies } = settings;
  const provider = clusterProvider(
    `${name}-in-member`,
    {
      kubeconfig: memberKubeconfig,
      clusterIdentifier: name,
      enableSecretMutable: true,
      // A stack that the member was handed over to continues with its agent, and so does one that has lost its state.
      enablePatchForce: true,
    },
    opts,
  );
  const options = pulumi.mergeOptions(opts, { provider, dependsOn: home, deletedWith: home });
  // An agent is not reached from outside its cluster.
  const exposure = { kind: "clusterIP", addresses: [], apiServer: 0, etcd: 0 } as const;
  const names = new KubernetesNames({ namespace, clusterDomain: "cluster.local", exposure });
  const at = { name, namespace, names };
  const needs = [
    filesOf(at, agent, files, options),
    ...policiesOf(at, agent, networkPolicies, options),
    ...(images.login === undefined ? [] : [loginOf(at, images.login, options)]),
  ];
  const program = agent.program as ToolchainProgram;
  const pods = { ...settings, antiAffinity: "preferred", spreadOver: [], labels: {}, annotations: {} } as const;
  const digest = pulumi
    .all([filesDigest(agent, files), follows ?? ""])
    .apply(([contents, generation]) => (generation === "" ? contents : sha256(`${contents} ${generation}`)));
  const resource = deploymentOf(
    at,
    agent,
    {
      files: digest,
      spec: podSpec({
        process: agent,
        image: imageFrom(images.karmada, program, images.pinned),
        command: program.name,
        args: argumentsOf(names, agent),
        env: {},
        ports: Object.fromEntries(agent.ports.map((port) => [port, names.port(agent.name, port)])),
        serviceAccount: agentAccount,
        settings: pods,
      }),
      settings: pods,
      follows: undefined,
    },
    pulumi.mergeOptions(options, { dependsOn: needs }),
  );
  return { resource, version: pulumi.output(program.version) };
}
