import * as pulumi from "@pulumi/pulumi";
import type { TokenHolders } from "../lib/members/token-holders.ts";
import { ClusterRegistration } from "../providers/cluster-registration.ts";
import { MemberAccess, type MemberAccessInputs } from "../providers/member-access.ts";
import { PulledMember } from "../providers/pulled-member.ts";
import { SupersededTokens } from "../providers/superseded-tokens.ts";
import type { ResourceModel } from "../spec/members/resource-models.ts";
import { memberType } from "./estimator-aliases.ts";
import type { FoundEstimator } from "./estimators-in-use.ts";
import { createEstimatorService } from "./karmada-api/estimator-service.ts";
import { certifyAgent, houseAgent, type HousedAgent, wayToPlane } from "./member-agent.ts";
import { groundOf, type MemberArgs, timeoutSeconds } from "./member-args.ts";
import { type AgentFacts, type MemberState, memberState } from "./member-state.ts";
import type { FileContents } from "./placement.ts";
import type { Process } from "./process.ts";
import { frontOfApi } from "./processes/control-plane.ts";
import { agentCertificate, memberConfig } from "./processes/karmada-agent.ts";

/**
 * A cluster that Karmada manages. In Pull mode it is registered first, then its agent starts and makes it ready.
 * Deleting it removes the cluster from Karmada, and everything Karmada put into it, while the agent still runs; then
 * the agent ends, then its registration. The cluster's own objects stay.
 */
export class Member extends pulumi.ComponentResource {
  readonly state: pulumi.Output<MemberState>;
  /** Depend on this to use it: it is Ready. */
  readonly joined: pulumi.Resource;
  /** Version of each process, as the program reports it. */
  readonly versions: Record<string, pulumi.Output<string>> = {};
  /** End of each certificate that the Pki has not issued, by name, RFC 3339. */
  readonly certificates: Record<string, pulumi.Output<string>> = {};
  /** For an estimator that another stack runs; undefined when there is to be none. Secret. */
  readonly estimatorKubeconfig: pulumi.Output<string> | undefined;
  /** Runs beside the control plane; undefined when there is none. */
  readonly estimator: FoundEstimator | undefined;
  /** When the control plane's replacement token was made, RFC 3339. */
  readonly tokenReplaced: pulumi.Output<string | undefined>;
  /** When it took the place of another one on the plane, RFC 3339. */
  readonly tokenWritten: pulumi.Output<string | undefined>;
  /** Changes when the control plane is to reach it differently. */
  readonly way: pulumi.Output<string | undefined>;
  private readonly args: MemberArgs;
  private readonly child: pulumi.CustomResourceOptions;

  constructor(name: string, args: MemberArgs, opts: pulumi.ComponentResourceOptions) {
    super(memberType, name, {}, opts);
    this.args = args;
    this.child = { parent: this, ...(args.owner === undefined ? {} : { deletedWith: args.owner }) };
    const { member, agent, estimator } = args;
    const account = args.estimatedElsewhere ? this.access(name, "estimator") : undefined;
    this.estimator = estimator && this.estimate(name, estimator);
    const before = this.estimator === undefined ? [] : [this.estimator.service, this.estimator.program];
    const registration = this.register(name, account === undefined ? before : [account]);
    this.estimatorKubeconfig = account?.kubeconfig;
    this.tokenReplaced = registration.tokenReplaced;
    this.tokenWritten = registration.tokenWritten;
    this.way = registration.way;
    const verdict = agent === undefined ? registration : this.pull(name, agent, registration);
    this.joined = verdict;
    this.state = memberState(member, registration, verdict, agent && this.agentFacts(agent));
    this.registerOutputs({});
  }

  /** Exists before the Cluster: the scheduler looks for an estimator once, and waits ten seconds for a missing one. */
  private estimate(name: string, process: Process): FoundEstimator {
    const { member, provider, needs, dataOwner, estimatorAliases: aliases } = this.args;
    const { placement } = groundOf(this.args);
    const service = createEstimatorService(name, member.name, placement, process, {
      ...this.child,
      ...(dataOwner && { deletedWith: dataOwner }),
      provider,
      dependsOn: [...needs],
      ...(aliases && { aliases: aliases.service }),
    });
    return { member: member.name, process, service, program: this.serve(name, process, "estimator", {}) };
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
    // Leaving in the other mode deletes the namespace of the accounts: this one is made after that.
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
        // Through the registration: Pulumi deletes this before it replaces that, also when there is no agent any more.
        cluster: registration.cluster,
        registered: registration.registered.apply((uid = "") => uid),
        declaredBy,
        karmadaKubeconfig,
        ...(member.preserveWorkloads && { memberKubeconfig, ...namespaceOf(member.agent) }),
        timeoutSeconds,
      },
      { ...this.lasting, dependsOn: [resource, ...needs] },
    );
  }

  /** Runs an agent in the member itself. It is removed from there before the registration is. */
  private house(name: string, agent: HousedAgent): pulumi.Resource {
    const { resource, version } = houseAgent(name, agent);
    this.versions[agent.agent.name] = version;
    return resource;
  }

  /** Runs a program that works in the member with its own account. */
  private serve(
    name: string,
    process: Process,
    purpose: MemberAccessInputs["purpose"],
    more: FileContents,
    ...needs: readonly pulumi.Resource[]
  ): pulumi.Resource {
    const { placement, pki, restored } = groundOf(this.args);
    const { estimatorAliases } = this.args;
    const access = this.access(name, purpose, ...needs);
    const files = { ...pki.fileContents(process), ...more, [memberConfig]: access.kubeconfig };
    const { resource, version } = placement.place(
      process,
      files,
      {
        parent: this,
        dependsOn: [access, ...needs],
        ...(purpose === "estimator" && estimatorAliases && { aliases: estimatorAliases.process }),
      },
      restored,
    );
    this.versions[process.name] = version;
    if (this.rotates) this.revokeOthers(name, access, purpose, resource);
    return resource;
  }

  /** The account of a program that works in the member. */
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
        // An agent has its own access.
        ...(purpose === "estimator" && member.proxy !== undefined && { proxy: member.proxy }),
        ...this.rotation,
        timeoutSeconds,
      },
      { ...this.child, dependsOn: [...needs, ...after] },
    );
  }

  /** Revokes other tokens once `user` runs with the one in its kubeconfig. */
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

  /**
   * Options for what stays when a handed-over member is no longer declared: whoever declares it next continues with it.
   */
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

  /** Its certificate was signed by the control plane on request, or issued by the Pki. */
  private agentFacts(agent: Process): AgentFacts {
    const certificate = agentCertificate(this.args.member.name);
    const expires = this.certificates[certificate] ?? this.args.ground?.pki.expiries.apply((ends) => ends[certificate]);
    return { version: this.versions[agent.name], expires };
  }
}

/** The namespace of an agent that runs in its member. */
const namespaceOf = (agent: MemberArgs["member"]["agent"]) =>
  agent.kind === "inMember" ? { agentNamespace: agent.namespace } : {};
