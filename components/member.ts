import * as pulumi from "@pulumi/pulumi";
import type { TokenHolders } from "../lib/members/handover.ts";
import { ClusterRegistration } from "../providers/cluster-registration.ts";
import type { MemberAccessInputs } from "../providers/member-access.ts";
import { MemberAccess } from "../providers/member-access.ts";
import { PulledMember } from "../providers/pulled-member.ts";
import { SupersededTokens } from "../providers/superseded-tokens.ts";
import type { ResourceModel } from "../spec/resource-models.ts";
import { createEstimatorService } from "./karmada-api/estimator-service.ts";
import { certifyAgent, houseAgent, type HousedAgent, wayToPlane } from "./member-agent.ts";
import { groundOf, type MemberArgs, timeoutSeconds } from "./member-args.ts";
import { type AgentFacts, type MemberState, memberState } from "./member-state.ts";
import type { FileContents } from "./placement.ts";
import type { Process } from "./process.ts";
import { frontOfApi } from "./processes/control-plane.ts";
import { agentCertificate, memberConfig } from "./processes/karmada-agent.ts";

/**
 * A cluster that Karmada manages. In Pull mode it is made known first, then its agent starts and makes it ready. Deleting it
 * takes the cluster out of Karmada, and with it everything Karmada put into the cluster, while the agent still runs; then
 * the agent ends, then its registration. What the cluster had of its own stays.
 */
export class Member extends pulumi.ComponentResource {
  readonly state: pulumi.Output<MemberState>;
  /** What to depend on to use it: it is Ready. */
  readonly joined: pulumi.Resource;
  /** Version of each process, as the program reports it. */
  readonly versions: Record<string, pulumi.Output<string>> = {};
  /** End of each certificate that the Pki has not issued, by name, RFC 3339. */
  readonly certificates: Record<string, pulumi.Output<string>> = {};
  /** For an estimator that another stack runs; undefined when there is to be none. Secret. */
  readonly estimatorKubeconfig: pulumi.Output<string> | undefined;
  /** When the token was made that the control plane has in the place of another, RFC 3339. */
  readonly tokenReplaced: pulumi.Output<string | undefined>;
  /** Another one when the control plane is to reach it in another way. */
  readonly way: pulumi.Output<string | undefined>;
  private readonly args: MemberArgs;
  private readonly child: pulumi.CustomResourceOptions;

  constructor(name: string, args: MemberArgs, opts: pulumi.ComponentResourceOptions) {
    super("karmada:member:Member", name, {}, opts);
    this.args = args;
    this.child = { parent: this, ...(args.owner === undefined ? {} : { deletedWith: args.owner }) };
    const { member, agent, estimator } = args;
    const account = args.estimatedElsewhere ? this.access(name, "estimator") : undefined;
    const before = estimator === undefined ? [] : this.estimate(name, estimator);
    const registration = this.register(name, account === undefined ? before : [account]);
    this.estimatorKubeconfig = account?.kubeconfig;
    this.tokenReplaced = registration.tokenReplaced;
    this.way = registration.way;
    const verdict = agent === undefined ? registration : this.pull(name, agent, registration);
    this.joined = verdict;
    this.state = memberState(member, registration, verdict, agent && this.agentFacts(agent));
    this.registerOutputs({});
  }

  /** What is there before the Cluster: the scheduler looks for an estimator once, and waits ten seconds for a missing one. */
  private estimate(name: string, estimator: Process): readonly pulumi.Resource[] {
    const { member, provider, needs, dataOwner } = this.args;
    const { placement } = groundOf(this.args);
    const service = createEstimatorService(name, member.name, placement, estimator, {
      ...this.child,
      ...(dataOwner && { deletedWith: dataOwner }),
      provider,
      dependsOn: [...needs],
    });
    return [service, this.serve(name, estimator, "estimator", {})];
  }

  private register(name: string, before: readonly pulumi.Resource[]): ClusterRegistration {
    const { member, declaredBy, needs, karmadaKubeconfig, memberKubeconfig, heldElsewhere = false } = this.args;
    return new ClusterRegistration(
      `${name}-registration`,
      {
        cluster: member.name,
        karmadaKubeconfig,
        memberKubeconfig,
        syncMode: member.syncMode,
        declaredBy,
        ...(member.handOver && { handOver: true }),
        ...(member.preserveWorkloads && { preserveWorkloads: true }),
        ...(member.provider === undefined ? {} : { provider: member.provider }),
        ...(member.region === undefined ? {} : { region: member.region }),
        zones: [...member.zones],
        labels: { ...member.labels },
        taints: member.taints.map((taint) => ({ ...taint })),
        ...(member.resourceModels && { resourceModels: [...member.resourceModels] as ResourceModel[] }),
        ...(member.proxy !== undefined && { proxy: member.proxy }),
        ...(Object.keys(member.proxyHeader).length > 0 && { proxyHeader: pulumi.all(member.proxyHeader) }),
        ...this.rotation,
        ...(heldElsewhere ? { heldElsewhere } : { tokenHolders: this.tokenHolders }),
        timeoutSeconds,
      },
      { ...this.lasting, dependsOn: [...needs, ...before] },
    );
  }

  private pull(name: string, agent: Process, registration: ClusterRegistration): PulledMember {
    const { member, declaredBy, needs, karmadaKubeconfig, memberKubeconfig } = this.args;
    const where = { args: this.args, opts: { ...this.lasting, dependsOn: [...needs, registration] } };
    const certificate = member.agent.registration === "bootstrapToken" ? certifyAgent(name, where) : undefined;
    if (certificate !== undefined) this.certificates[agentCertificate(member.name)] = certificate.expires;
    // Leaving in another mode takes the namespace of the accounts with it: this one is made after that.
    const resource =
      member.agent.kind === "inMember"
        ? this.house(name, { ...where, agent, settings: member.agent, certificate })
        : this.serve(
            name,
            agent,
            "agent",
            certificate === undefined
              ? {}
              : wayToPlane(this.args, groundOf(this.args).placement.text(agent, frontOfApi.url), certificate),
            registration,
          );
    return new PulledMember(
      `${name}-pulled`,
      {
        cluster: member.name,
        registered: registration.registered.apply((uid = "") => uid),
        declaredBy,
        karmadaKubeconfig,
        ...(member.preserveWorkloads && { memberKubeconfig, ...namespaceOf(member.agent) }),
        timeoutSeconds,
      },
      { ...this.lasting, dependsOn: [resource, ...needs] },
    );
  }

  /** Runs an agent in the member itself. It is gone from there before the registration goes. */
  private house(name: string, agent: HousedAgent): pulumi.Resource {
    const { resource, version } = houseAgent(name, agent);
    this.versions[agent.agent.name] = version;
    return resource;
  }

  /** Runs a program that works in the member by an account of its own. */
  private serve(
    name: string,
    process: Process,
    purpose: MemberAccessInputs["purpose"],
    more: FileContents,
    ...needs: readonly pulumi.Resource[]
  ): pulumi.Resource {
    const { placement, pki, restored } = groundOf(this.args);
    const access = this.access(name, purpose, ...needs);
    const files = { ...pki.fileContents(process), ...more, [memberConfig]: access.kubeconfig };
    const { resource, version } = placement.place(
      process,
      files,
      { parent: this, dependsOn: [access, ...needs] },
      restored,
    );
    this.versions[process.name] = version;
    if (this.rotates) this.revokeOthers(name, access, purpose, resource);
    return resource;
  }

  /** An account of its own for a program that works in the member. */
  private access(
    name: string,
    purpose: MemberAccessInputs["purpose"],
    ...after: readonly pulumi.Resource[]
  ): MemberAccess {
    const { member, declaredBy, needs, karmadaKubeconfig, memberKubeconfig } = this.args;
    return new MemberAccess(
      `${name}-${purpose}-access`,
      {
        cluster: member.name,
        purpose,
        declaredBy,
        karmadaKubeconfig,
        memberKubeconfig,
        // An agent has a way of its own.
        ...(purpose === "estimator" && member.proxy !== undefined && { proxy: member.proxy }),
        ...this.rotation,
        timeoutSeconds,
      },
      { ...this.child, dependsOn: [...needs, ...after] },
    );
  }

  /** Once `user` runs with the token in a kubeconfig. */
  private revokeOthers(
    name: string,
    { kubeconfig }: MemberAccess,
    purpose: MemberAccessInputs["purpose"],
    user: pulumi.Resource,
  ): void {
    const { member, memberKubeconfig } = this.args;
    new SupersededTokens(
      `${name}-${purpose}-superseded`,
      { cluster: member.name, purpose, memberKubeconfig, kubeconfig, timeoutSeconds },
      { ...this.child, dependsOn: [user] },
    );
  }

  /** Of what stays when a member that is let go of is no longer declared: whoever declares it then goes on with it. */
  private get lasting(): pulumi.CustomResourceOptions {
    return this.args.member.handOver ? { ...this.child, retainOnDelete: true } : this.child;
  }

  private get rotation() {
    const { rotate, rotateEvery } = this.args.member;
    return { ...(rotate !== undefined && { rotate }), ...(rotateEvery !== undefined && { rotateEvery }) };
  }

  private get tokenHolders(): pulumi.Output<TokenHolders> {
    const { tokenHolders: programs = [] } = this.args;
    return pulumi.output(groundOf(this.args).placement.etcdRuntime()).apply((runtime) => ({ runtime, programs }));
  }

  private get rotates(): boolean {
    return Object.keys(this.rotation).length > 0;
  }

  /** Its certificate is one that the control plane has signed when asked, or one of the Pki. */
  private agentFacts(agent: Process): AgentFacts {
    const certificate = agentCertificate(this.args.member.name);
    const expires = this.certificates[certificate] ?? this.args.ground?.pki.expiries.apply((ends) => ends[certificate]);
    return { version: this.versions[agent.name], expires };
  }
}

/** Of an agent that runs in its member. */
const namespaceOf = (agent: MemberArgs["member"]["agent"]) =>
  agent.kind === "inMember" ? { agentNamespace: agent.namespace } : {};
