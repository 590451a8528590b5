import * as command from "@pulumi/command";
import type * as pulumi from "@pulumi/pulumi";
import { agentOfSession } from "../../lib/hosts/address.ts";
import type { HostsPlacement } from "../../spec/deployment.ts";
import { keyLine } from "../../spec/hooks.ts";
import type { Placement } from "../placement.ts";
import { commandHere, type Hooked, hookInputs, hooksOf, sealedOutput } from "./hooks.ts";

type Settings = HostsPlacement<pulumi.Output<string>>;
type Host = Settings["hosts"][number];
type Hook = Settings["hooks"][number];
type SshLogin = Extract<Host["login"], { kind: "ssh" }>;

/** Runs the hooks of a moment, each on its hosts at the same time. @param first what is done before any of them */
export const hooksOnHosts = (
  deployment: Hooked<Hook> & { readonly placement: Pick<Settings, "hosts"> },
  first: pulumi.Resource,
): NonNullable<Placement["hooks"]> =>
  hooksOf(
    deployment,
    (hook, { name, given, opts }) =>
      deployment.placement.hosts
        .filter((host) => hook.hosts?.includes(host.name) ?? true)
        .map((host) => onHost(`${name}-${host.name}`, hook, host, { KARMADA_HOST: host.name, ...given }, opts)),
    first,
  );

function onHost(
  name: string,
  hook: Hook,
  { login }: Host,
  given: Readonly<Record<string, string>>,
  opts: pulumi.CustomResourceOptions,
): pulumi.Resource {
  const isRoot = login.kind === "ssh" ? login.user === "root" : process.getuid?.() === 0;
  const inputs = hookInputs(hook, isRoot ? "sh -s" : "sudo -n sh -s", given);
  switch (login.kind) {
    case "local":
      return commandHere(name, inputs, opts);
    case "ssh": {
      const [proxy] = login.through;
      const connection = { ...loginOf(login), ...(proxy && { proxy: loginOf(proxy) }) };
      return new command.remote.Command(name, { ...inputs, connection }, sealedOutput(opts));
    }
  }
}

function loginOf(login: Pick<SshLogin, Exclude<keyof SshLogin, "kind" | "through">>) {
  const { address, port, user, hostKey, privateKey, passphrase, password, agent } = login;
  return {
    host: address,
    port,
    user,
    hostKey: keyLine(hostKey) ?? hostKey,
    ...(privateKey !== undefined && { privateKey }),
    ...(passphrase !== undefined && { privateKeyPassword: passphrase }),
    ...(password !== undefined && { password }),
    // The plugin uses its session's agent by default.
    ...(agent !== undefined && agent !== agentOfSession && { agentSocketPath: agent }),
  };
}
