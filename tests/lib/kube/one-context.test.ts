import { parse } from "yaml";
import { oneContext } from "../../../lib/kube/one-context.ts";

const paris = {
  contexts: { name: "paris", context: { cluster: "p", user: "p", namespace: "web" } },
  clusters: {
    name: "p",
    cluster: {
      server: "https://p:6443",
      "certificate-authority-data": "Q0E=",
      "proxy-url": "http://proxy:3128",
      "tls-server-name": "kubernetes",
      extensions: [{ name: "client.authentication.k8s.io/exec", extension: { audience: "p" } }],
    },
  },
  users: {
    name: "p",
    user: {
      exec: { command: "login", args: ["--to", "p"], env: [{ name: "A", value: "1" }] },
      as: "ops",
      "as-groups": ["a"],
    },
  },
};
const bank = (token: string) => ({
  contexts: { name: "bank", context: { cluster: "b", user: "b" } },
  clusters: { name: "b", cluster: { server: "https://b:6443" } },
  users: { name: "b", user: { token } },
});
const kubeconfig = (token: string, current = "paris") => {
  const other = bank(token);
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    preferences: {},
    "current-context": current,
    contexts: [other.contexts, paris.contexts],
    clusters: [other.clusters, paris.clusters],
    users: [other.users, paris.users],
  });
};
const onlyParis = {
  apiVersion: "v1",
  kind: "Config",
  "current-context": "paris",
  contexts: [paris.contexts],
  clusters: [paris.clusters],
  users: [paris.users],
};

test("what belongs to a context is kept as it is, and nothing of others", () => {
  expect(parse(oneContext(kubeconfig("s3cr3t"), "paris"))).toEqual(onlyParis);
  expect(oneContext(kubeconfig("s3cr3t"), "paris")).toBe(oneContext(kubeconfig("newer", "bank"), "paris"));
});

test("without a name the current context is kept", () => {
  expect(parse(oneContext(kubeconfig("s3cr3t")))).toEqual(onlyParis);
  expect(parse(oneContext(kubeconfig("s3cr3t", "bank")))).toMatchObject({ users: [{ user: { token: "s3cr3t" } }] });
});

test("what is wrong is left for who reads it", () => {
  for (const text of ["a: [", "words", ""]) expect(oneContext(text, "paris")).toBe(text);
  expect(parse(oneContext("contexts: []", "paris"))).toEqual({ contexts: [], "current-context": "paris" });
});

test("a text stays a text for those who read YAML 1.1: a password in quotes is none of its numbers, times and truth values", () => {
  const passwords = ["no", "1_000", "0b11", "2026-01-01", "22:22", "0o17"];
  const kept = passwords.map((password) => {
    const { contexts, clusters } = bank("");
    const users = [{ name: "b", user: { username: "y", password } }];
    const text = oneContext(
      JSON.stringify({ "current-context": "bank", contexts: [contexts], clusters: [clusters], users }),
    );
    return (parse(text, { schema: "yaml-1.1" }) as { users: typeof users }).users[0]!.user;
  });
  expect(kept).toEqual(passwords.map((password) => ({ username: "y", password })));
});
