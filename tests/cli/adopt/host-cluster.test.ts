import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeAddresses, openHostCluster } from "../../../cli/adopt/host-cluster.ts";
import { FakeHost } from "../../lib/adoption/fake-host.ts";

const directory = mkdtempSync(join(tmpdir(), "host-cluster-"));
const path = join(directory, "host.kubeconfig");
afterAll(() => rmSync(directory, { recursive: true }));

const opening = (text: string, context?: string) => {
  writeFileSync(path, text);
  return openHostCluster(path, context, "karmada-system");
};
const kubeconfig = (cluster = "") => `
current-context: a
contexts: [{ name: a, context: { cluster: a, user: a } }, { name: b, context: { cluster: a, user: a } }]
clusters: [{ name: a, cluster: { server: "https://127.0.0.1:9"${cluster} } }]
users: [{ name: a, user: { token: secret } }]
`;

test("the context that was named is used, else the current one", async () => {
  expect((await opening(kubeconfig(), "b")).kubeconfig).toContain("current-context: b");
  expect((await opening(kubeconfig())).kubeconfig).toContain("current-context: a");
});

test("what is wrong with the kubeconfig is said of its file, and nothing of it is shown", async () => {
  await expect(opening('users: [{ user: { token: "secret } }]\n', "a")).rejects.toThrow(
    /^--kubeconfig .*host\.kubeconfig: this kubeconfig does not parse: \w+ in line \d+ of it \(not shown: a secret\)$/,
  );
  await expect(opening("", "a")).rejects.toThrow(/: this is not a kubeconfig: it has no list of contexts$/);
  await expect(opening(kubeconfig(), "c")).rejects.toThrow(/: this kubeconfig has no context "c"/);
  await expect(opening(kubeconfig(", certificate-authority: ca.crt"))).rejects.toThrow(
    /: this kubeconfig points to another file \(certificate-authority\), want it embedded: kubectl config view --flatten --raw$/,
  );
});

test("every address of a node is known, first the one that others reach it at", async () => {
  const node = (...addresses: [type: string, address: string][]) => ({
    status: { addresses: addresses.map(([type, address]) => ({ type, address })) },
  });
  const { client } = new FakeHost({
    "/api/v1/nodes/a": node(["InternalIP", "10.0.0.6"], ["Hostname", "a"], ["ExternalIP", "203.0.113.6"]),
    "/api/v1/nodes/b": node(["InternalIP", "fd00::7"], ["InternalIP", "10.0.0.7"]),
    "/api/v1/nodes/c": node(["Hostname", "c"]),
  });
  expect(await nodeAddresses(client)).toEqual([["203.0.113.6", "10.0.0.6"], ["10.0.0.7"]]);
});
