import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import type { Context } from "../../spec/context.ts";
import { resolveEtcdProgram } from "../../spec/etcd-program.ts";
import { resolveMembersProgram } from "../../spec/members-program.ts";
import { joiningOf } from "../../spec/members/joining.ts";
import { resolve } from "../../spec/resolve.ts";
import { resolveSnapshotProgram } from "../../spec/snapshot-program.ts";
import { withAddons } from "../../stacks/addon-sources.ts";
import { renderCharts } from "../../stacks/charts.ts";
import { withPolicies } from "../../stacks/policy-files.ts";
import { createAuthority } from "./certificates.ts";

const root = join(import.meta.dirname, "..", "..");
const authority = await createAuthority("example");

/** What a stack file of the documentation resolves to, with a kubeconfig where it has one and stand-ins for charts from elsewhere. */
export async function resolveExample(text: string): Promise<object> {
  const config = configOf(text);
  const charts = { ...(await renderCharts(withoutFetched(config), root)), ...inPlaceOfFetched(config) };
  const addons = withAddons({ stack: "example", directory: root }, config, { charts });
  const all = withPolicies(addons, config, await templatesFor(config));
  const files = { ...all.files, "~/.kube/config": { text: kubeconfig("paris") } };
  const stacks = {
    "eks/lisbon": { outputs: { kubeconfig: kubeconfig("lisbon") } },
    etcd: { outputs: { etcdClient: JSON.stringify(etcdClient) } },
  };
  const resolver = resolvers[programOf(config)]!;
  return resolver(config, { ...all, files, stacks, ...(await planeFor(config, files)) });
}

/** What the example of an etcd by itself gives out. */
const etcdClient = {
  endpoints: ["https://10.0.0.21:2379", "https://10.0.0.22:2379", "https://10.0.0.23:2379"],
  ca: authority.certificate,
  certificate: authority.certificate,
  key: authority.key,
  clusterId: "cdf818194e3a8c32",
};

/** The program that a stack file is of. */
export const programOf = (config: Config): string => String(config["program"] ?? "karmada");

type Config = Record<string, unknown>;

const isFetched = ({ source }: Config) => "repository" in (source as object) || "oci" in (source as object);

const withoutFetched = ({ addons = [], ...config }: Config): Config => ({
  ...config,
  addons: (addons as Config[]).filter((addon) => !isFetched(addon)),
});

/** Charts from elsewhere, each with one object: no test asks for them. */
function inPlaceOfFetched({ addons = [] }: Config) {
  const names = (addons as { name: string }[]).filter(isFetched).map(({ name }) => name);
  const text = (name: string) =>
    `---\n# Source: ${name}.yaml\n${stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } })}`;
  return Object.fromEntries(names.map((name) => [name, { text: text(name), again: text(name) }]));
}

/** What the examples offer whose stacks one names. */
async function templatesFor({ policyTemplatesFrom = [] }: Record<string, unknown>): Promise<Record<string, unknown>> {
  const offered = (policyTemplatesFrom as string[]).map(async (stack) => {
    const { policyTemplates } = configOf(await readFile(join(root, "examples", `Pulumi.${stack}.yaml`), "utf8"));
    return [stack, policyTemplates] as const;
  });
  return Object.fromEntries(await Promise.all(offered));
}

/** What the example offers whose deployment one joins. */
async function planeFor(
  { deployment }: Record<string, unknown>,
  files: NonNullable<Context["files"]>,
): Promise<Pick<Context, "plane">> {
  if (deployment === undefined) return {};
  const config = configOf(await readFile(join(root, "examples", `Pulumi.${String(deployment)}.yaml`), "utf8"));
  const offering = resolve(config, { stack: String(deployment), directory: root, files });
  const joining = joiningOf<string>(offering, { server: "https://192.0.2.10:6443", authority: authority.certificate });
  return { plane: { ...joining, members: offering.members.map(({ name }) => name) } };
}

/** By the program a stack file names. */
const resolvers: Readonly<Record<string, (config: object, context: Context) => object>> = {
  karmada: resolve,
  members: resolveMembersProgram,
  etcd: resolveEtcdProgram,
  snapshots: resolveSnapshotProgram,
};

/** What Pulumi hands to the program: the keys of this project, secrets decrypted; with a certificate where it hints at one. */
export function configOf(text: string): Record<string, unknown> {
  const { config } = parse(text, (key, value: unknown) => {
    if (typeof value === "string" && value.startsWith("-----BEGIN CERTIFICATE-----")) return authority.certificate;
    if (typeof value === "object" && value !== null && "secure" in value) return secrets[String(key)] ?? "a secret";
    return value;
  }) as { config: Record<string, unknown> };
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key.replace(/^karmada:/, ""), value]));
}

/** Those of which more is checked than that they are texts. */
const secrets: Readonly<Record<string, string>> = {
  kubeconfig: kubeconfig("oslo"),
  key: authority.key,
  login: JSON.stringify({ auths: { "registry.example.org": { auth: "bWU6cDRzcw==" } } }),
};

function kubeconfig(name: string): string {
  const ca = Buffer.from(authority.certificate).toString("base64");
  return stringify({
    "current-context": name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster: { server: `https://${name}.example.org:6443`, "certificate-authority-data": ca } }],
    users: [{ name, user: { token: "token" } }],
  });
}
