import { z } from "zod";
import { extraArgs } from "./extra-args.ts";
import { secret, text, whole } from "./field.ts";
import { size } from "./units.ts";

/** How many members must agree: more than half. */
export const quorum = (members: number): number => Math.floor(members / 2) + 1;

const members = whole(1, 7, "1, 3, 5 or 7").refine((count) => count % 2 === 1, {
  error: ({ input }) =>
    typeof input === "number" && input > 0
      ? `got ${input}, want 1, 3, 5 or 7 (a quorum of ${input} needs ${quorum(input)}: no more losses are survived than with ${input - 1})`
      : `got ${String(input)}, want 1, 3, 5 or 7`,
});

const managed = z.strictObject({
  kind: z.literal("managed").describe("Members of our own, with TLS for clients and peers."),
  members: members.default(3).describe("Number of members: 1, 3, 5 or 7."),
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
