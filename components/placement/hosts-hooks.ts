import * as command from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { agentOfSession } from "../../lib/hosts/address.ts";
import { quote } from "../../lib/hosts/quote.ts";
import type { Deployment, HostsPlacement } from "../../spec/deployment.ts";
import { keyLine } from "../../spec/hooks.ts";
import type { HookMoment } from "../placement.ts";

type Secret = pulumi.Output<string>;
type Host = HostsPlacement<Secret>["hosts"][number];
type Hook = HostsPlacement<Secret>["hooks"][number];
type SshLogin = Extract<Host["login"], { kind: "ssh" }>;

/** Which hooks are due, and on which hosts. */
export interface HostsHooksArgs extends HookMoment {
  /** Name of the deployment. */
  readonly name: string;
  readonly versions: Deployment["versions"];
  readonly placement: Pick<HostsPlacement<Secret>, "hosts" | "hooks">;
}

/** Runs the hooks of a moment, one after another, each on its hosts at the same time. @returns what to wait for */
export function createHooks(
  { when, phase, name, versions, placement }: HostsHooksArgs,
  opts: { readonly parent: pulumi.Resource; readonly dependsOn: readonly pulumi.Resource[] },
): readonly pulumi.Resource[] {
  const hooks = placement.hooks.filter((hook) => hook.when === when && hook.phase === phase);
  const all: pulumi.Resource[] = [];
  for (const hook of hooks) {
    const dependsOn = [...opts.dependsOn, ...all];
    const hosts = placement.hosts.filter((host) => hook.hosts?.includes(host.name) ?? true);
    const given = (host: Host) => ({
      KARMADA_HOST: host.name,
      KARMADA_DEPLOYMENT: name,
      KARMADA_VERSION: versions.karmada,
      KUBERNETES_VERSION: versions.kubernetes,
      ETCD_VERSION: versions.etcd,
    });
    all.push(
      ...hosts.map((host) =>
        onHost(`${name}-hook-${hook.name}-${host.name}`, hook, host, given(host), { parent: opts.parent, dependsOn }),
      ),
    );
  }
  return all;
}

/** Scripts and variables are passed on standard input, so that they do not show in the host's process list. */
function onHost(
  name: string,
  hook: Hook,
  { login }: Host,
  given: Readonly<Record<string, string>>,
  opts: pulumi.CustomResourceOptions,
): pulumi.Resource {
  const isRoot = login.kind === "ssh" ? login.user === "root" : process.getuid?.() === 0;
  const shell = isRoot ? "sh -s" : "sudo -n sh -s";
  const args = {
    create: `${shell} run`,
    ...(hook.undo !== undefined && { delete: `${shell} undo` }),
    stdin: pulumi.secret(pulumi.all({ ...given, ...hook.environment }).apply((variables) => scripts(hook, variables))),
    addPreviousOutputInEnv: false,
    // Its output may contain what it is given.
    ...(Object.keys(hook.environment).length > 0 && { logging: "none" as const }),
  };
  const sealed = pulumi.mergeOptions(opts, { additionalSecretOutputs: ["stdout", "stderr"] });
  switch (login.kind) {
    case "local":
      return new command.local.Command(name, args, sealed);
    case "ssh": {
      const [proxy] = login.through;
      const connection = { ...loginOf(login), ...(proxy && { proxy: loginOf(proxy) }) };
      return new command.remote.Command(name, { ...args, connection }, sealed);
    }
  }
}

/** One function for each, the argument naming the one to run; their standard input is not the rest of the script. */
function scripts({ run, undo, triggers }: Hook, variables: Readonly<Record<string, string>>): string {
  return [
    ...Object.entries(variables).map(([key, value]) => `export ${key}=${quote(value)}`),
    ...triggers.map((trigger) => `: ${quote(trigger)}`),
    `run() {\n${run}\n}`,
    `undo() {\n${undo ?? ":"}\n}`,
    `set -eu`,
    `"$1" </dev/null`,
    ``,
  ].join("\n");
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
