import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accessOf } from "../../../../toolchain/plugins/kubernetes/access.ts";
import { loadDefaultKubeconfig, loadKubeconfig } from "../../../../toolchain/plugins/kubernetes/kubeconfig.ts";

const kubeconfigOf = (user: object, server = "https://127.0.0.1:1", cluster: object = {}) =>
  JSON.stringify({
    "current-context": "a",
    contexts: [{ name: "a", context: { cluster: "a", user: "admin" } }],
    clusters: [{ name: "a", cluster: { server, ...cluster } }],
    users: [{ name: "admin", user }],
  });
const headersOf = async (user: object) => (await accessOf(loadKubeconfig(kubeconfigOf(user)), {})).headers();

test("whom the user acts for goes along whole: name, uid, each group, and whatever else", async () => {
  const extra = { "example.org/scopes": ["view", "edit"], "50%": ["x"] };
  const user = { token: "t", as: "jane", "as-uid": "u1", "as-groups": ["dev", "ops"], "as-user-extra": extra };
  expect(await headersOf(user)).toEqual({
    Authorization: "Bearer t",
    "Impersonate-User": "jane",
    "Impersonate-Uid": "u1",
    "Impersonate-Group": ["dev", "ops"],
    "Impersonate-Extra-example.org%2Fscopes": ["view", "edit"],
    "Impersonate-Extra-50%25": ["x"],
  });
});

test.each([{ "as-groups": ["dev"] }, { "as-uid": "u1" }, { "as-user-extra": { a: ["b"] } }])(
  "%j without a user to act for is refused",
  async (user) => {
    await expect(headersOf(user)).rejects.toThrow(
      "invalid configuration: requesting uid, groups or user-extra for admin without impersonating a user",
    );
  },
);

test.each([
  ["socks5://me:s3cret@10.0.0.1:1080", 'got "socks5://10.0.0.1:1080"'],
  ["http://me:s3#cret@10.0.0.1:3128", "what it says is no address"],
])("a proxy-url that leads nowhere here, %s, is refused without its login", async (url, found) => {
  const kubeconfig = kubeconfigOf({ token: "t" }, undefined, { "proxy-url": url });
  await expect(accessOf(loadKubeconfig(kubeconfig), {})).rejects.toThrow(
    `invalid configuration: proxy-url: ${found}, want http:// or https://\n`,
  );
});

test("a server is reached by way of its kubeconfig's proxy, else the environment's, as by client-go", async () => {
  const before = process.env["https_proxy"];
  process.env["https_proxy"] = "http://p:1";
  const proxyOf = async (server: string, cluster = {}) =>
    (await accessOf(loadKubeconfig(kubeconfigOf({}, server, cluster)), {})).proxy;
  try {
    expect(await proxyOf("https://api.test", { "proxy-url": "http://own:1" })).toBe("http://own:1");
    expect(await proxyOf("https://api.test")).toBe("http://p:1/");
    expect(await proxyOf("https://127.0.0.1:6443")).toBeUndefined();
  } finally {
    if (before === undefined) delete process.env["https_proxy"];
    else process.env["https_proxy"] = before;
  }
});

test("an empty KUBECONFIG is none: the user's own file is read", async () => {
  const home = await mkdtemp(join(tmpdir(), "kubeconfig-home-"));
  try {
    await mkdir(join(home, ".kube"));
    await writeFile(join(home, ".kube", "config"), kubeconfigOf({}));
    for (const env of [{ KUBECONFIG: "" }, {}]) expect(loadDefaultKubeconfig(env, home).currentContext).toBe("a");
    expect(loadDefaultKubeconfig({ KUBECONFIG: "/nowhere" }, home).currentContext).toBe("");
  } finally {
    await rm(home, { recursive: true });
  }
});
