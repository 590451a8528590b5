import type { Context } from "../context.ts";
import type { Deployment } from "../deployment.ts";
import { type PlaneImages, resolveAgent } from "./agent.ts";
import { readCredentials, type TypedMember } from "./members.ts";
import { chosenMode } from "./sync-mode.ts";

/** Fills in how members are joined to a control plane, by the networks it is in and the images it has. */
export const resolveMembers = (
  members: readonly TypedMember[],
  plane: { readonly networks: readonly string[]; readonly images: Readonly<PlaneImages> | undefined },
  context: Context,
): Deployment["members"] =>
  members.map((member) => ({
    ...member,
    ...chosenMode(member, plane.networks),
    agent: resolveAgent(member.agent, plane.images),
    credentials: readCredentials(member.credentials, context),
  })) as unknown as Deployment["members"];
