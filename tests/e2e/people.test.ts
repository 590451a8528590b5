/** What docs/people.md says, done literally: people sign in with accounts of elsewhere, and may do what their roles say. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { parse } from "yaml";
import { snippetsOf } from "../support/documents.ts";
import { eventually, type Kubectl, Kubectls } from "./support/kubectl.ts";
import { type Claims, type SignIn, startSignIn } from "./support/sign-in.ts";
import { TestStack } from "./support/stack.ts";

interface Outputs {
  kubeconfig: string;
  simulatedKubeconfigs: Record<string, string>;
  clientKubeconfigs: Record<string, string>;
}

const documented = snippetsOf("docs/people.md").filter(({ language }) => language === "yaml");
const [stackFile, people, lookIntoParis] = documented.map(({ text }) => text) as [string, string, string];
const ofPlainManifests = ["system:aggregate-to-edit", "system:aggregate-to-view"];

const directory = mkdtempSync(join(tmpdir(), "e2e-people-"));
const kubectls = new Kubectls();
let signIn: SignIn;
let stack: TestStack;
let admin: Kubectl;
let outputs: Outputs;

beforeAll(async () => {
  signIn = await startSignIn("karmada");
  const written = stackFile
    .replace("https://sso.example.org/realms/platform", signIn.url)
    .replace(/^( *)audiences:/m, `$1certificateAuthority: ${JSON.stringify(signIn.authority)}\n$&`)
    .replace("file: people.yml", `file: ${join(directory, "people.yml")}`);
  writeFileSync(join(directory, "people.yml"), people);
  const config = Object.entries(parse(written) as object).map(([key, value]) => [key.replace("karmada:", ""), value]);
  const pki = { clients: [{ name: "argocd" }, { name: "prometheus", group: "system:monitoring" }] };
  const small = { kind: "managed", members: 1 };
  const members = [{ name: "paris", credentials: { kind: "simulated", nodes: 1 } }];
  stack = await TestStack.create({ ...Object.fromEntries(config), etcd: small, members, pki }, 16000);
  await stack.up();
  outputs = await stack.outputs<Outputs>();
  admin = await kubectls.to(outputs.kubeconfig);
}, 240_000);

afterAll(async () => {
  await stack?.remove();
  await kubectls.remove();
  signIn?.close();
  await rm(directory, { recursive: true, force: true });
}, 120_000);

/** Where the Karmada API is, and the authority that vouches for it. */
function server() {
  const administrators = new KubeConfig();
  administrators.loadFromString(outputs.kubeconfig);
  return administrators.getCurrentCluster()!;
}

/** kubectl of somebody who has no certificate, and has signed in with these claims. */
function as(claims: Claims): Promise<Kubectl> {
  const own = new KubeConfig();
  own.loadFromClusterAndUser(server(), { name: "me", token: signIn.token(claims) });
  return kubectls.to(own.exportConfig());
}

/** What the API server answers who has not signed in. */
function statusOf(path: string): Promise<number | undefined> {
  const { server: url, caData } = server();
  return new Promise((resolve, reject) => {
    get(`${url}${path}`, { ca: Buffer.from(caData!, "base64"), timeout: 10_000 }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on("error", reject);
  });
}

const policy = (name: string) =>
  JSON.stringify({
    apiVersion: "policy.karmada.io/v1alpha1",
    kind: "PropagationPolicy",
    metadata: { name, namespace: "shop" },
    spec: {
      resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", name }],
      placement: { clusterAffinity: { clusterNames: ["paris"] } },
    },
  });

test("a group of administrators may do everything, and who has not signed in sees whether it serves, and no more", async () => {
  const platform = await as({ email: "ada@example.org", groups: ["platform"] });
  expect(await platform(["auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"])).toBe("sso:ada@example.org");
  expect(await platform(["auth", "can-i", "*", "*", "--all-namespaces"])).toBe("yes");
  const nobody = await as({ email: "eve@example.org", groups: [] });
  await expect(nobody(["get", "clusters"])).rejects.toThrow(
    /User "sso:eve@example.org" cannot list resource "clusters"/,
  );
  expect(await statusOf("/readyz")).toBe(200);
  expect(await statusOf("/version")).toBe(401);
}, 60_000);

test("who has edit in a namespace says where it runs, there and nowhere else", async () => {
  const shop = await as({ email: "bo@example.org", groups: ["shop"] });
  await shop(["create", "configmap", "prices", "-n", "shop"]);
  await shop(["apply", "-f", "-"], policy("prices"));
  await eventually(
    () => admin.get("resourcebindings", "-n", "shop", "prices-configmap"),
    ({ spec }) => spec.clusters?.[0]?.name === "paris",
  );
  await expect(shop(["create", "configmap", "prices", "-n", "default"])).rejects.toThrow(/forbidden/);
  await expect(shop(["get", "works", "-A"])).rejects.toThrow(/forbidden/);
}, 60_000);

test("who may hand in plain manifests only is refused a policy", async () => {
  for (const role of ofPlainManifests)
    await admin([
      "create",
      "rolebinding",
      role.replace("system:", ""),
      "-n",
      "shop",
      `--clusterrole=${role}`,
      "--group=sso:plain",
    ]);
  const plain = await as({ email: "cy@example.org", groups: ["plain"] });
  await plain(["create", "configmap", "texts", "-n", "shop"]);
  expect(await plain(["get", "configmap", "texts", "-n", "shop", "-o", "name"])).toBe("configmap/texts");
  await expect(plain(["apply", "-f", "-"], policy("texts"))).rejects.toThrow(/propagationpolicies.*forbidden/);
}, 60_000);

test("who may look into a member does so under their own name, and as far as the member lets them", async () => {
  const shop = await as({ email: "bo@example.org", groups: ["shop"] });
  // Karmada's account in the member may act for whom and for which groups it finds bound by name.
  const bo = ["--user=sso:bo@example.org", "--group=sso:shop"];
  const pods = [
    "get",
    "--raw",
    "/apis/cluster.karmada.io/v1alpha1/clusters/paris/proxy/api/v1/namespaces/default/pods",
  ];
  await expect(shop(pods)).rejects.toThrow(/cannot get resource "clusters\/proxy"/);
  await admin(["apply", "-f", "-"], lookIntoParis);
  await admin(["create", "clusterrolebinding", "look", "--clusterrole=look-into-paris", ...bo]);
  await eventually(
    () => shop(pods).catch((error: Error) => error.message),
    (answer) => answer.includes('User "sso:bo@example.org" cannot list resource "pods"'),
  );
  const paris = await kubectls.to(outputs.simulatedKubeconfigs["paris"]!);
  await paris(["create", "clusterrolebinding", "shop", "--clusterrole=view", "--group=sso:shop"]);
  expect(
    JSON.parse(
      await eventually(
        () => shop(pods),
        (answer) => answer.includes("PodList"),
      ),
    ),
  ).toMatchObject({ kind: "PodList" });
}, 90_000);

test("what is no person has a kubeconfig of its own, and may do what is bound to its name", async () => {
  const argocd = await kubectls.to(outputs.clientKubeconfigs["argocd"]!);
  await expect(argocd(["get", "namespaces"])).rejects.toThrow(/User "argocd" cannot list resource "namespaces"/);
  const bound = snippetsOf("docs/certificates.md").find(({ text }) => text.startsWith("# argocd.yml;"));
  await admin(["apply", "-f", "-"], bound!.text);
  await argocd(["create", "deployment", "web", "--image=web", "-n", "shop"]);
  expect(await argocd(["auth", "can-i", "create", "clusterroles"]).catch(({ stdout }) => stdout as string)).toBe("no");
  const prometheus = await kubectls.to(outputs.clientKubeconfigs["prometheus"]!);
  expect(await prometheus(["get", "--raw", "/metrics"])).toContain("apiserver_request_total");
}, 60_000);
