import * as pulumi from "@pulumi/pulumi";
import type { Deployment } from "../../spec/deployment.ts";
import type { ConfiguredDeployment } from "./configured.ts";
import { sealImages, sealLogin } from "./logins.ts";
import { sealTexts } from "./texts.ts";

/** Seals by what members are reached. */
export const sealMembers = (members: Deployment["members"]): ConfiguredDeployment["members"] =>
  members.map(({ credentials, agent, proxyHeader, ...member }) => ({
    ...member,
    proxyHeader: sealTexts(proxyHeader),
    agent: agent.kind === "inMember" ? { ...agent, images: sealImages(agent.images) } : agent,
    credentials: sealCredentials(credentials),
  }));

function sealCredentials(
  credentials: Deployment["members"][number]["credentials"],
): ConfiguredDeployment["members"][number]["credentials"] {
  switch (credentials.kind) {
    case "kubeconfig":
      return { ...credentials, kubeconfig: pulumi.secret(credentials.kubeconfig) };
    case "ssh": {
      const { login, ...plain } = credentials;
      return { ...plain, login: { ...sealLogin(login), through: login.through.map((jump) => sealLogin(jump)) } };
    }
    case "simulated":
      return credentials;
  }
}

/** Seals by what members of teams are reached. */
export const sealTeamMembers = (members: Deployment["teamMembers"]): ConfiguredDeployment["teamMembers"] =>
  members.map(({ estimator, way, ...member }) => ({
    ...member,
    ...(estimator !== undefined && { estimator: pulumi.secret(estimator) }),
    ...(way !== undefined && { way: pulumi.secret(way) }),
  }));
