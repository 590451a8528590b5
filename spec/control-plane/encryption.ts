import { z } from "zod";
import { secret, text } from "../field.ts";
import type { TypedPlacement } from "../placement/placement.ts";
import type { Problem } from "../problems.ts";
import { keyName } from "../values/name.ts";
import { trigger } from "../values/trigger.ts";
import type { ControlPlane } from "./control-plane.ts";
import { checkKms, kmsFields } from "./encryption-kms.ts";

const resource = text(
  /^[a-z]+(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  'a resource with its group, such as "secrets" or "works.work.karmada.io"',
);

const key = z.strictObject({
  name: keyName("key1").describe("Its name."),
  secretText: secret("32 bytes as base64").describe("The key: 32 bytes as base64."),
});

/** How the API servers store secrets in etcd. */
export const encryption = z
  .strictObject({
    provider: z
      .enum(["none", "identity", "secretbox", "kms"])
      .default("none")
      .describe(
        "How it is written. `secretbox`: encrypted, by keys that are made here; what is there already is written anew. `kms`: the same by a key service outside, whose plugin (KMS v2) runs beside each API server. `identity`: in clear again, the way back to `none`, which cannot read what is encrypted.",
      ),
    ...kmsFields,
    resources: z
      .array(resource)
      .min(1)
      .default(["secrets", "works.work.karmada.io"])
      .describe("What is encrypted. A Work holds what is propagated, Secrets too."),
    rotate: trigger
      .optional()
      .describe(
        "What is new here has another key be made, and everything be written anew with the one after this. With `kms` it is written anew with the key that the service has by then.",
      ),
    keys: z
      .array(key)
      .default([])
      .describe("Further keys to read with: those of an earlier stack, whose snapshot is restored here."),
  })
  .prefault({})
  .describe("Encryption of what is in etcd, and so in snapshots.");

export type Encryption = z.output<typeof encryption>;

/**
 * Finds duplicate resources and keys, resources that other servers write, invalid keys, a key service that cannot be
 * reached, and a configuration that is also given by hand.
 *
 * @param placement its kind; undefined while that has problems of its own
 */
export function checkEncryption(
  { encryption, "kube-apiserver": apiserver }: ControlPlane,
  placement: TypedPlacement["kind"] | undefined,
): Problem[] {
  const { provider, resources, keys } = encryption;
  const again = (list: readonly string[], path: readonly string[]): Problem[] =>
    list.flatMap((each, i) =>
      list.indexOf(each) === i
        ? []
        : [{ path: ["controlPlane", "encryption", ...path, i], message: `got "${each}" again, want each once` }],
    );
  const flag = "encryption-provider-config";
  return [
    ...checkKms(encryption, placement),
    ...again(resources, ["resources"]),
    ...resources.flatMap((resource, i) => {
      const server = writers[resource.slice(resource.indexOf(".") + 1)];
      const path = ["controlPlane", "encryption", "resources", i];
      return server === undefined
        ? []
        : [{ path, message: `got "${resource}", which ${server} writes, in clear: want what kube-apiserver writes` }];
    }),
    ...again(
      keys.map(({ name }) => name),
      ["keys"],
    ),
    ...keys.flatMap(({ secretText }, i) =>
      isKey(secretText)
        ? []
        : [
            {
              path: ["controlPlane", "encryption", "keys", i, "secretText"],
              message: "got something else, want 32 bytes as base64",
            },
          ],
    ),
    ...(provider !== "none" && flag in apiserver.extraArgs
      ? [
          {
            path: ["controlPlane", "kube-apiserver", "extraArgs", flag],
            message: "want this left out: controlPlane.encryption sets it",
          },
        ]
      : []),
  ];
}

/** Servers behind kube-apiserver that write into etcd themselves, by the group that they serve. */
const writers: Readonly<Partial<Record<string, string>>> = {
  "cluster.karmada.io": "karmada-aggregated-apiserver",
  "search.karmada.io": "karmada-search",
};

/**
 * As API servers parse it (Go's `base64.StdEncoding`): Node.js would accept other alphabets too, and skip invalid
 * characters.
 */
function isKey(text: string): boolean {
  const bytes = Buffer.from(text, "base64");
  return bytes.length === 32 && bytes.toString("base64") === text.replaceAll(/[\r\n]/g, "");
}
