import { z } from "zod";
import { secret, text, words } from "../field.ts";
import { server } from "../values/address.ts";
import { volume } from "./volume.ts";

const directory = text(/^\//, "an absolute path");

const local = z.strictObject({
  kind: z.literal("local").describe("A directory on the machine that takes the snapshot."),
  directory: directory.describe("The directory; made when it is missing."),
});

/** The two network file systems expected at the mount point. */
const mounted = (kind: "nfs" | "cephfs", what: string) =>
  z.strictObject({
    kind: z.literal(kind).describe(`A directory on ${what}; refused as long as nothing of that kind is mounted there.`),
    directory: directory.describe("A directory in the mount; made when it is missing."),
    volume: volume.optional(),
  });

const credentials = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z
        .literal("environment")
        .describe(
          "As AWS's own tools find them: `AWS_ACCESS_KEY_ID` and its companions, `~/.aws`, the role of the machine. What takes snapshots by the clock has no variables of yours: on one machine it goes by `~/.aws` and the role, on hosts by the role of its host.",
        ),
    }),
    z.strictObject({
      kind: z.literal("file").describe("A profile of a file like `~/.aws/credentials`."),
      path: directory.describe(
        "The file, on this machine. With a schedule on hosts what the profile takes is brought to the host by `up`.",
      ),
      profile: words("the name of a profile").default("default").describe("Which profile of it."),
    }),
    z.strictObject({
      kind: z.literal("keys").describe("Keys in the stack file, encrypted there and in the state."),
      accessKeyId: words("the id of an access key").describe("Id of the access key."),
      secretAccessKey: secret("a secret access key").describe("The secret of it."),
    }),
  ])
  .prefault({ kind: "environment" })
  .describe("How to sign in.");

const s3 = z.strictObject({
  kind: z.literal("s3").describe("A bucket of any server that speaks S3."),
  bucket: text(
    /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    'the name of a bucket such as "karmada-backup"',
  ).describe("The bucket. It must exist."),
  prefix: text(/^[\w.-]+(\/[\w.-]+)*$/, 'a path such as "etcd/production"')
    .optional()
    .describe("In front of every key, without slashes at its ends."),
  endpoint: server("https://s3.example.org", { scheme: "https?" })
    .optional()
    .describe("Address of the server. Default: that of AWS for the region."),
  region: words("a region").default("us-east-1").describe("The region; servers of one's own often take any."),
  pathStyle: z
    .boolean()
    .optional()
    .describe("Whether the bucket is in the path, not in the name of the host. Default: with an `endpoint`."),
  ca: text(/-----BEGIN CERTIFICATE-----/, "a certificate in PEM form")
    .optional()
    .describe("Authority that signed the server's certificate, in PEM form."),
  serverSideEncryption: z
    .enum(["AES256", "aws:kms"])
    .optional()
    .describe("What the server is asked to encrypt with; besides `encryption`, which it does not see into."),
  kmsKeyId: words("the id of a key").optional().describe("Key for `aws:kms`."),
  credentials,
});

/** A place for snapshots. */
export const target = z.discriminatedUnion("kind", [
  local,
  mounted("nfs", "an NFS export"),
  mounted("cephfs", "CephFS"),
  s3,
]);

export type TypedTarget = z.output<typeof target>;
