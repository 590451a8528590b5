import { z } from "zod";
import { fieldNotes, secret, text, words } from "./field.ts";
import type { TypedHosts } from "./placement/hosts.ts";
import type { Problem } from "./problems.ts";
import { name } from "./values/name.ts";

/** The phases of bringing up a deployment, in order. */
export const phases = ["etcd", "control-plane", "members"] as const;

/** A script of the operator's, as every placement has it. */
const hook = z.strictObject({
  name: name.describe("What you call it; part of the names of its resources."),
  when: z.enum(["before", "after"]).describe("On which side of the phase."),
  phase: z
    .enum(phases)
    .describe(
      "Of the deployment: before anything of it is started or changed, or after all of it is; the next phase waits for it.",
    ),
  run: words("a shell script").describe(
    "A script for `sh`. It ends at the first command that fails, and with it the `up`; it must be able to run again.",
  ),
  undo: words("a shell script")
    .optional()
    .describe("A script that is run when the hook, or the deployment, is deleted. Default: nothing is."),
  environment: z
    .record(
      text(/^[A-Za-z_]\w*$/, 'the name of a variable such as "TOKEN"'),
      secret("a text, in quotes").register(fieldNotes, { want: "a text, in quotes", secret: true }),
    )
    .default({})
    .describe(
      "Variables for the scripts. They and the scripts go over standard input, and are secrets in the state. KARMADA_DEPLOYMENT and the versions KARMADA_VERSION, KUBERNETES_VERSION and ETCD_VERSION are there in any case, on hosts KARMADA_HOST too, in a host cluster KARMADA_NAMESPACE.",
    ),
  triggers: z
    .array(words("a text"))
    .default([])
    .describe("Texts of your own: it is run once, and again when it changes, or a version, or one of these."),
});

export type TypedHook = z.output<typeof hook>;

/** The hooks of a placement that has no hosts to run them on. */
export const hooksHere = z
  .array(hook)
  .default([])
  .describe(
    "Scripts of your own, before and after phases of an `up`, by `@pulumi/command`: run on the machine where pulumi is run, as the user who does.",
  );

/** A hook that is run on hosts. */
export const hookOnHosts = hook.extend({
  hosts: z
    .array(words("the name of a host"))
    .min(1)
    .optional()
    .describe("Names of the hosts it is run on, on all at the same time. Default: all."),
});

/** Finds hooks with duplicate names. */
export function checkHooks(hooks: readonly TypedHook[]): Problem[] {
  return hooks.flatMap(({ name }, i) => {
    const before = hooks.findIndex((other) => other.name === name);
    if (before === i) return [];
    const message = `got "${name}", want another name: hooks[${before}] has it`;
    return [{ path: ["placement", "hooks", i, "name"], message }];
  });
}

/** Finds hooks on unknown hosts, or that need what pulumi's commands cannot do. */
export function checkHooksOnHosts({ hooks, hosts, ssh: shared }: TypedHosts): Problem[] {
  const names = hosts.map(({ name }) => name);
  const used = new Set(hooks.flatMap(({ hosts: chosen }) => chosen ?? names));
  const at = (...path: (string | number)[]) => ["placement", ...path];
  return [
    ...hooks.flatMap(({ hosts: chosen = [] }, i) =>
      chosen.flatMap((host, j) =>
        names.includes(host)
          ? []
          : [
              {
                path: at("hooks", i, "hosts", j),
                message: `got "${host}", want one of placement.hosts (${names.join(", ")})`,
              },
            ],
      ),
    ),
    ...hosts.flatMap(({ name, address, ssh }, i) => {
      if (ssh === undefined || !used.has(name)) return [];
      const jumps = ssh.through ?? shared.through ?? [];
      return [
        ...keyProblems(at("hosts", i, "ssh", "hostKey"), ssh.hostKey, address),
        ...jumps.flatMap((jump, j) =>
          keyProblems(at("hosts", i, "ssh", "through", j, "hostKey"), jump.hostKey, jump.address),
        ),
        ...(jumps.length > 1
          ? [{ path: at("hosts", i, "ssh", "through"), message: `got ${jumps.length}, want at most one with hooks` }]
          : []),
      ];
    }),
  ];
}

/** A command of pulumi's takes one key, which has to be the one that the host shows it. */
function keyProblems(path: (string | number)[], hostKey: string, address: string): Problem[] {
  const [key] = keysIn(hostKey);
  const howTo = `ssh-keyscan -t ed25519 ${address}`;
  if (key === undefined)
    return [{ path, message: "got a fingerprint, want the key itself with hooks (ssh-keyscan shows it)" }];
  if (kindOf(key) === "ssh-rsa")
    return [
      {
        path,
        message: `got an RSA key alone, want one of another kind, too, with hooks: @pulumi/command asks for RSA keys in a way that current servers refuse (${howTo} shows another)`,
      },
    ];
  const alike = new Set(keysIn(hostKey).filter((other) => kindOf(other) === kindOf(key))).size;
  if (alike === 1) return [];
  const message = `got ${alike} keys of the kind ${kindOf(key)}, want one with hooks: @pulumi/command accepts no other (${howTo} shows the one that is in use)`;
  return [{ path, message }];
}

/**
 * The key that pulumi's commands are given of those in lines of known_hosts, as in authorized_keys; undefined when there
 * are only fingerprints.
 */
export const keyLine = (hostKeys: string): string | undefined => keysIn(hostKeys)[0];

/**
 * The key in each line, the best first: the official plugin asks a host for the kind of the key it is given and no
 * other, and for RSA keys by the name of their oldest signatures only.
 */
function keysIn(hostKeys: string): string[] {
  const lines = hostKeys.matchAll(/^(?![ \t]*#)(?:.*[ \t])?((?:ssh|ecdsa|sk)-\S+ AAAA\S+)/gm);
  return [...lines].map(([, key]) => key!).sort((a, b) => rankOf(a) - rankOf(b));
}

const rankOf = (key: string): number => ranks[kindOf(key)] ?? 1;

/** All others, of which ECDSA is the usual one, are in between. */
const ranks: Readonly<Record<string, number>> = { "ssh-ed25519": 0, "ssh-rsa": 2 };

const kindOf = (key: string): string => key.slice(0, key.indexOf(" "));
