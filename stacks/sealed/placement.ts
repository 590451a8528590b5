import * as pulumi from "@pulumi/pulumi";
import type { Deployment, HostsPlacement, KubernetesPlacement, LocalPlacement } from "../../spec/deployment.ts";
import type { ConfiguredDeployment } from "./configured.ts";
import { sealImages, sealLogin } from "./logins.ts";
import { sealTexts } from "./texts.ts";

/** Seals by what hosts and the host cluster are reached, and what hooks are given. */
export function sealPlacement(placement: Deployment["placement"]): ConfiguredDeployment["placement"] {
  switch (placement.kind) {
    case "local":
      return { ...placement, hooks: sealHooks(placement.hooks) };
    case "hosts":
      return sealHosts(placement);
    case "kubernetes":
      return sealKubernetes(placement);
  }
}

function sealKubernetes(placement: KubernetesPlacement): KubernetesPlacement<pulumi.Output<string>> {
  const { credentials, images, hooks, ...plain } = placement;
  return {
    ...plain,
    hooks: sealHooks(hooks),
    credentials: { ...credentials, kubeconfig: pulumi.secret(credentials.kubeconfig) },
    images: sealImages(images),
  };
}

function sealHosts({ hosts, hooks, ...plain }: HostsPlacement): HostsPlacement<pulumi.Output<string>> {
  return {
    ...plain,
    hooks: sealHooks(hooks),
    hosts: hosts.map(({ login, ...host }) => ({
      ...host,
      login:
        login.kind === "local" ? login : { ...sealLogin(login), through: login.through.map((jump) => sealLogin(jump)) },
    })),
  };
}

const sealHooks = <T extends LocalPlacement["hooks"][number]>(hooks: readonly T[]) =>
  hooks.map(({ environment, ...hook }) => ({ ...hook, environment: sealTexts(environment) }));
