import { stringify } from "yaml";
import { wayDigest } from "../../../lib/members/way-digest.ts";

const kubeconfig = (name: string, cluster: object, user: object) =>
  stringify({
    "current-context": name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster }],
    users: [{ name, user }],
  });
const paris = { server: "https://10.0.0.7:6443", "certificate-authority-data": Buffer.from("CA\n").toString("base64") };
const digest = wayDigest(kubeconfig("paris", paris, { token: "t" }));

test.each([
  ["another login", kubeconfig("paris", paris, { exec: { command: "aws" } })],
  ["other names", kubeconfig("lyon", paris, { token: "t" })],
  ["a slash at the end of the address", kubeconfig("paris", { ...paris, server: `${paris.server}/` }, { token: "t" })],
])("a kubeconfig with %s leads to the same cluster", (_, other) => {
  expect(wayDigest(other)).toBe(digest);
});

test.each([
  ["address", { server: "https://10.0.0.8:6443" }],
  ["path behind one address", { server: "https://10.0.0.7:6443/k8s/clusters/c-m-1" }],
  ["authority", { "certificate-authority-data": Buffer.from("CB\n").toString("base64") }],
  ["name in its certificate", { "tls-server-name": "paris.example.org" }],
  ["proxy", { "proxy-url": "http://10.0.0.1:3128" }],
])("a kubeconfig with another %s may lead to another cluster", (_, more) => {
  expect(wayDigest(kubeconfig("paris", { ...paris, ...more }, { token: "t" }))).not.toBe(digest);
});
