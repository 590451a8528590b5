import { z } from "zod";
import type { Context } from "../context.ts";
import { fieldNotes, text, whole, words } from "../field.ts";
import type { Problem } from "../problems.ts";
import { readFile } from "./interpreters.ts";
import { objectName } from "./placement-policy.ts";

const operations = [
  "*",
  "InterpretReplica",
  "InterpretComponent",
  "ReviseReplica",
  "InterpretStatus",
  "Retain",
  "AggregateStatus",
  "InterpretHealth",
  "InterpretDependency",
] as const;

const rule = z.strictObject({
  operations: z.array(z.enum(operations)).min(1).describe("What it is asked; `*` is everything."),
  apiGroups: z
    .array(z.string().register(fieldNotes, { want: 'a group such as "apps.kruise.io"' }))
    .min(1)
    .describe('Groups of the kinds; `""` is that of Kubernetes itself, `*` all.'),
  apiVersions: z.array(words('a version such as "v1alpha1"')).min(1).describe("Versions of the kinds; `*` is all."),
  kinds: z.array(words('a kind such as "CloneSet"')).min(1).describe("The kinds; `*` is all."),
});

const service = z.strictObject({
  namespace: objectName.describe("Its namespace."),
  name: objectName.describe("Its name."),
  path: text(/^\//, 'a path such as "/interpreter"').optional().describe("Path of the URL. Default: none."),
  port: whole(1, 65535).default(443).describe("Its port."),
});

const clientConfig = z.strictObject({
  url: text(/^https:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/, 'an address such as "https://interpreter.example.org/kruise"')
    .optional()
    .describe("Where it answers; either this or `service`."),
  service: service.optional().describe("A Service in the Karmada API; else its name in the DNS of the host cluster."),
  caBundle: text(/^-----BEGIN CERTIFICATE-----\n/, "certificates as PEM text")
    .optional()
    .describe("Authorities its certificate may be signed by, as PEM text. Default: those of the operating system."),
  caFile: words("the path of a file")
    .optional()
    .describe("A file with them, in the place of `caBundle`; relative to the stack file."),
});

const webhook = z.strictObject({
  name: text(
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?){2,}$/,
    'a name with two dots or more, such as "kruise.example.org"',
  ).describe("Its name, fully qualified, for instance `kruise.example.org`."),
  clientConfig: clientConfig.describe("Where it answers."),
  rules: z.array(rule).default([]).describe("What it is asked about which kinds."),
  timeoutSeconds: whole(1, 30).default(10).describe("Seconds it may take to answer."),
  interpreterContextVersions: z
    .array(z.enum(["v1alpha1"]))
    .min(1)
    .default(["v1alpha1"])
    .describe("Versions of the question it understands."),
});

/** A custom server that interprets kinds for Karmada. */
export const interpreterWebhooks = z.strictObject({
  kind: z
    .literal("ResourceInterpreterWebhookConfiguration")
    .describe("Teaches Karmada kinds of resources by servers that it asks, before what it knows of them by itself."),
  name: objectName.describe("Name of the object."),
  webhooks: z.array(webhook).min(1).describe("The servers."),
});

type Webhooks = z.output<typeof interpreterWebhooks>;

/** Finds what Karmada's webhook would refuse, and authorities that cannot be read. */
export function checkWebhooks({ webhooks }: Webhooks, at: Problem["path"], context: Context): Problem[] {
  const first = new Map<string, number>();
  return webhooks.flatMap(({ name, clientConfig, rules }, i) => {
    const path = [...at, "webhooks", i];
    const before = first.get(name);
    first.set(name, before ?? i);
    return [
      ...(before === undefined
        ? []
        : [{ path: [...path, "name"], message: `got "${name}", want another name: webhooks[${before}] has it` }]),
      ...checkClient(clientConfig, [...path, "clientConfig"], context),
      ...rules.flatMap((rule, r) =>
        (["operations", "apiGroups", "apiVersions", "kinds"] as const)
          .filter((key) => rule[key].length > 1 && (rule[key] as readonly string[]).includes("*"))
          .map((key) => ({ path: [...path, "rules", r, key], message: 'got "*" and others, want it alone' })),
      ),
    ];
  });
}

function checkClient({ url, service, caBundle, caFile }: ClientConfig, path: Problem["path"], context: Context) {
  const problems: Problem[] = [];
  if ((url === undefined) === (service === undefined))
    problems.push({ path, message: `got ${url === undefined ? "none of them" : "both"}, want one of url and service` });
  if (caBundle !== undefined && caFile !== undefined)
    problems.push({ path, message: "got both, want one of caBundle and caFile" });
  else if (caFile !== undefined) {
    const read = readFile(caFile, context);
    const message = "error" in read ? read.error : notPem(caFile, read.text);
    if (message !== undefined) problems.push({ path: [...path, "caFile"], message });
  }
  return problems;
}

type ClientConfig = Webhooks["webhooks"][number]["clientConfig"];

const notPem = (file: string, content: string): string | undefined =>
  content.includes("-----BEGIN CERTIFICATE-----") ? undefined : `got "${file}", which has no certificate as PEM text`;

/** The object's content: authorities in base64. */
export const webhookList = ({ webhooks }: Webhooks, context: Context) =>
  webhooks.map(({ clientConfig: { caBundle, caFile, ...client }, ...webhook }) => {
    const read = caFile === undefined ? { text: caBundle } : readFile(caFile, context);
    const ca = "text" in read ? read.text : undefined;
    return {
      ...webhook,
      clientConfig: { ...client, ...(ca !== undefined && { caBundle: Buffer.from(ca).toString("base64") }) },
    };
  });
