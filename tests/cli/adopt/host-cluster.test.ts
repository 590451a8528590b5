import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openHostCluster } from "../../../cli/adopt/host-cluster.ts";

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

test("the context that is meant counts", async () => {
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
