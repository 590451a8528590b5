import type * as pulumi from "@pulumi/pulumi";
import { membersSections } from "../spec/members-program.ts";
import type { Joining, PlaneOffered } from "../spec/members/joining.ts";
import { DeploymentStack } from "./deployment-stack.ts";

/** The control plane of another stack, for members declared here. */
export interface JoinedPlane {
  /** With organization and project. */
  readonly stack: string;
  /** What is known about it before there is any resource. */
  readonly offered: PlaneOffered;
  /** Kubeconfig of the plane's administrator. Secret. */
  readonly kubeconfig: pulumi.Output<string>;
}

/** That of the stack that `deployment` names; undefined when it names none. */
export async function joinedPlane({
  deployment: typed,
}: Readonly<Record<string, unknown>>): Promise<JoinedPlane | undefined> {
  const { data: name } = membersSections.deployment.safeParse(typed);
  if (name === undefined) return undefined;
  const stack = new DeploymentStack(name, "deployment");
  const [joining, members] = await Promise.all([
    stack.required<Joining>("joining"),
    stack.required<readonly { readonly name: string }[]>("members"),
  ]);
  const offered = { ...joining, members: members.map((member) => member.name) };
  return { stack: stack.name, offered, kubeconfig: stack.output<string>("kubeconfig") };
}
