import { z } from "zod";
import { checkArguments } from "./arguments.ts";
import { extraArgs } from "./extra-args.ts";
import { secret, text, whole } from "./field.ts";
import { lastPort } from "./ports.ts";
import type { Problem } from "./problems.ts";
import { size } from "./units.ts";
import type { Versions } from "./versions.ts";

/** How many members must agree: more than half. */
export const quorum = (members: number): number => Math.floor(members / 2) + 1;

/** Bounds are checked by themselves; this adds why an even number is refused. */
const members = whole(1, 7, "1, 3, 5 or 7").refine((count) => count < 1 || count > 7 || count % 2 === 1, {
  error: ({ input }) => {
    const count = Number(input);
    return `got ${count}, want 1, 3, 5 or 7 (a quorum of ${count} needs ${quorum(count)}: no more losses are survived than with ${count - 1})`;
  },
});

const managed = z.strictObject({
  kind: z.literal("managed").describe("Members of our own, with TLS for clients and peers."),
  members: members.default(3).meta({ description: "Number of members.", enum: [1, 3, 5, 7] }),
  quota: size.default("8Gi").describe("Size the database may grow to before it turns read-only."),
  extraArgs,
});

const external = z.strictObject({
  kind: z.literal("external").describe("A cluster that exists already; nothing but our prefix is touched."),
  endpoints: z
    .array(text(/^https:\/\/[^/\s]+:\d{1,5}$/, 'an address such as "https://etcd-1.example.org:2379"'))
    .min(1)
    .describe("Client addresses of its members."),
  ca: text(/-----BEGIN CERTIFICATE-----/, "a certificate in PEM form").describe(
    "Authority that signed its certificates, in PEM form.",
  ),
  certificate: text(/-----BEGIN CERTIFICATE-----/, "a certificate in PEM form").describe(
    "Client certificate, in PEM form.",
  ),
  key: secret("a private key in PEM form").describe("Private key of the client certificate, in PEM form."),
  prefix: text(/^\/[-\w./]*[-\w.]$/, 'a path such as "/registry/karmada"')
    .default("/registry/karmada")
    .describe("Keys are written below this prefix only."),
});

export const etcd = z
  .discriminatedUnion("kind", [managed, external])
  .prefault({ kind: "managed" })
  .describe("Where the control plane keeps its data.");

export type TypedEtcd = z.output<typeof etcd>;

/** Finds flags that the chosen etcd does not know. */
export function checkEtcd(etcd: TypedEtcd, versions: Versions): Problem[] {
  return etcd.kind === "managed" ? checkArguments("etcd", etcd, versions, ["etcd"]) : [];
}

/** Finds endpoints of an external etcd whose ports the placement would give to programs of ours. */
export function checkEndpoints(etcd: TypedEtcd, placement: { readonly basePort: number }): Problem[] {
  if (etcd.kind !== "external") return [];
  const last = lastPort(placement.basePort);
  return etcd.endpoints.flatMap((endpoint, i) => {
    const { hostname, port } = new URL(endpoint);
    const here = hostname === "localhost" || hostname.startsWith("127.") || hostname === "[::1]";
    if (!here || Number(port) < placement.basePort || Number(port) > last) return [];
    return [
      {
        path: ["etcd", "endpoints", i],
        message: `got port ${port} of this machine, want one outside ${placement.basePort} to ${last}, or another placement.basePort: the ports overlap`,
      },
    ];
  });
}
