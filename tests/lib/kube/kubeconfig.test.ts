import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { kubeconfigProblems, parseKubeconfig } from "../../../lib/kube/kubeconfig.ts";
import { createAuthority } from "../../support/certificates.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

const config = (user: object, cluster: object = {}, context: object = {}) => ({
  "current-context": "one",
  contexts: [{ name: "one", context: { cluster: "c", user: "u", ...context } }],
  clusters: [{ name: "c", cluster: { server: "https://10.0.0.7:6443/", ...cluster } }],
  users: [{ name: "u", user }],
});

test("everything embedded, in YAML", () => {
  const user = { "client-certificate-data": base64("cert"), "client-key-data": base64("key") };
  const cluster = { "certificate-authority-data": base64("ca"), "tls-server-name": "api", "proxy-url": "socks5://p" };
  expect(parseKubeconfig(stringify(config(user, cluster)))).toEqual({
    server: "https://10.0.0.7:6443",
    ca: "ca",
    certificate: "cert",
    key: "key",
    tlsServerName: "api",
    proxyUrl: "socks5://p",
    insecureSkipTlsVerify: false,
    login: false,
  });
});

test("files by path, and a token from a file", () => {
  const directory = mkdtempSync(join(tmpdir(), "kubeconfig-"));
  const write = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const user = {
    tokenFile: write("token", "t\n"),
    "client-certificate": write("c", "cert"),
    "client-key": write("k", "key"),
  };
  const parsed = parseKubeconfig(JSON.stringify(config(user, { "certificate-authority": write("ca", "ca") })));
  expect(parsed).toMatchObject({ token: "t", certificate: "cert", key: "key", ca: "ca" });
  rmSync(directory, { recursive: true });
});

test("a user who logs in through a program is told apart", () => {
  expect(parseKubeconfig(JSON.stringify(config({ exec: { command: "aws" } }))).login).toBe(true);
});

describe("what is wrong is said without quoting the kubeconfig", () => {
  const cases: [string, string, RegExp][] = [
    ["not YAML", "{secret: [", /^kubeconfig: does not parse as YAML or JSON with a mapping at the top$/],
    ["a list", "[secret]", /^kubeconfig: does not parse/],
    ["empty", "", /^kubeconfig: does not parse/],
    [
      "no context",
      JSON.stringify({ contexts: [{ name: "one" }] }),
      /^kubeconfig: has no current-context, want one of one$/,
    ],
    ["no contexts at all", "{}", /^kubeconfig: has no current-context, want one of its contexts \(it has none\)$/],
    [
      "an unknown context",
      JSON.stringify({ ...config({}), "current-context": "two" }),
      /^kubeconfig: current-context is "two", which it has not; it has one$/,
    ],
    [
      "an unknown cluster",
      JSON.stringify(config({}, {}, { cluster: "x" })),
      /context "one" names a cluster it has not$/,
    ],
    ["an unknown user", JSON.stringify(config({}, {}, { user: "x" })), /context "one" names a user it has not$/],
    ["no server", JSON.stringify(config({}, { server: "" })), /^kubeconfig: server is "", want https:\/\/host:port$/],
    [
      "a certificate that is none",
      JSON.stringify(config({ "client-certificate-data": base64("x") })),
      /^kubeconfig: its client certificate is not a PEM certificate$/,
    ],
  ];
  test.each(cases)("%s", (_, text, message) => {
    const problems = kubeconfigProblems(text);
    expect(problems).toEqual([expect.stringMatching(message)]);
    expect(problems.join()).not.toContain("secret");
  });
});

test("a bundle of authorities of which one has expired is in order, whichever comes first", async () => {
  const authority = await createAuthority("test");
  const old = await authority.issue({ commonName: "old", expired: true });
  const withAuthorities = (...pems: string[]) =>
    JSON.stringify(config({ token: "t" }, { "certificate-authority-data": base64(pems.join("\n")) }));
  expect(kubeconfigProblems(withAuthorities(old.certificate, authority.certificate))).toEqual([]);
  expect(kubeconfigProblems(withAuthorities(authority.certificate, old.certificate))).toEqual([]);
  expect(kubeconfigProblems(withAuthorities(old.certificate))).toEqual([
    expect.stringMatching(/^kubeconfig: its authority certificate expired on /),
  ]);
});

test("an expired client certificate is found before any server is asked", async () => {
  const authority = await createAuthority("test");
  const { certificate } = await authority.issue({ commonName: "admin", expired: true });
  const text = JSON.stringify(config({ "client-certificate-data": base64(certificate) }));
  expect(kubeconfigProblems(text)).toEqual([expect.stringMatching(/^kubeconfig: its client certificate expired on /)]);
});
