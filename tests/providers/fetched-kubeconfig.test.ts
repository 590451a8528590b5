import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { Host } from "../../lib/hosts/host.ts";
import { closeHosts, hostAt } from "../../lib/hosts/hosts.ts";
import { LocalTransport } from "../../lib/hosts/local-transport.ts";
import { quote } from "../../lib/hosts/quote.ts";
import type { Transport } from "../../lib/hosts/transport.ts";
import { fetchKubeconfig } from "../../lib/members/host-kubeconfig.ts";
import { provider } from "../../providers/fetched-kubeconfig-impl.ts";
import type { FetchedKubeconfigInputs } from "../../providers/fetched-kubeconfig.ts";
import { hasSshd, startSshd, type Sshd } from "../plugins/command/sshd.ts";
import { createAuthority } from "../support/certificates.ts";

const port = 31215;
const isRoot = process.getuid?.() === 0;
const describeSsh = hasSshd() ? describe : describe.skip;
const authority = await createAuthority("paris");
const administrator = await authority.issue({ commonName: "admin" });
const base64 = (text: string) => Buffer.from(text).toString("base64");

describeSsh("the kubeconfig on a host, by a real sshd", () => {
  const directory = mkdtempSync(join(tmpdir(), "on-a-host-"));
  const path = join(directory, "it's admin.conf");
  let sshd: Sshd;

  beforeAll(async () => {
    sshd = await startSshd(port);
  });
  afterAll(() => {
    closeHosts();
    sshd.stop();
    rmSync(directory, { recursive: true });
  });

  /** As an installer leaves it, with a context beside the one that is used. */
  const kubeconfig = (server = "https://127.0.0.1:6443", user: object = {}) =>
    stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "default",
      contexts: ["default", "other"].map((name) => ({ name, context: { cluster: name, user: name } })),
      clusters: ["default", "other"].map((name) => ({
        name,
        cluster: { server, "certificate-authority-data": base64(authority.certificate) },
      })),
      users: [
        {
          name: "default",
          user: {
            "client-certificate-data": base64(administrator.certificate),
            "client-key-data": base64(administrator.key),
            ...user,
          },
        },
        { name: "other", user: { token: "s3cr3t-other" } },
      ],
    });
  const lay = (text: string) => writeFileSync(path, text, { mode: 0o600 });
  const inputs = (more: Partial<FetchedKubeconfigInputs> = {}, login: object = {}): FetchedKubeconfigInputs => ({
    cluster: "paris",
    host: {
      kind: "ssh",
      name: "paris",
      address: "127.0.0.1",
      port,
      user: sshd.user,
      hostKey: sshd.hostKey,
      privateKey: sshd.privateKey,
      ...login,
    },
    paths: ["/nowhere/admin.conf", path],
    timeoutSeconds: 20,
    ...more,
  });
  const fetched = async (more: Partial<FetchedKubeconfigInputs> = {}, login: object = {}) =>
    (await provider.create(inputs(more, login))).outs;
  const serverIn = (text: string) =>
    (parse(text) as { clusters: { cluster: { server: string } }[] }).clusters[0]!.cluster.server;

  test("is fetched with the one context that is used, and the host's address in the place of its loopback address", async () => {
    lay(kubeconfig());
    const found = await fetched();
    expect(found).toMatchObject({ path, expires: expect.stringMatching(/^20.*Z$/) });
    expect(found.kubeconfig).not.toContain("s3cr3t-other");
    expect(parse(found.kubeconfig)).toMatchObject({ "current-context": "default", users: [{ name: "default" }] });
    expect(await fetched({ context: "other" })).toMatchObject({ kubeconfig: expect.stringContaining("s3cr3t-other") });
  });

  test.each([
    ["https://127.0.0.1:6443", {}, "https://host.example.org:6443"],
    ["https://localhost:16443", {}, "https://host.example.org:16443"],
    ["https://10.1.2.3:6443", {}, "https://10.1.2.3:6443"],
    ["https://127.0.0.1:6443", { server: "https://front:6443" }, "https://front:6443"],
  ])("of %s with %j becomes %s", async (server, more, expected) => {
    lay(kubeconfig(server));
    const wanted = { paths: [path], timeoutSeconds: 20, ...more };
    const found = await fetchKubeconfig(hostAt(inputs().host), "host.example.org", wanted);
    expect(serverIn(found.kubeconfig)).toBe(expected);
  });

  test("goes through a host in between", async () => {
    lay(kubeconfig());
    const { address, hostKey, privateKey, user } = inputs().host;
    const through = [{ address, port, hostKey, user, ...(privateKey !== undefined && { privateKey }) }];
    expect(await fetched({}, { through })).toMatchObject({ path });
    await expect(
      fetched({}, { through: [{ ...through[0], hostKey: authorizedKey(sshd.encryptedKey, sshd.passphrase) }] }),
    ).rejects.toThrow(/^paris: paris \(127\.0\.0\.1\): fetching a kubeconfig: .* shows another host key/);
  });

  test("that is not there, or is none, is one clear error without a word of what was found", async () => {
    const label = "paris: paris (127.0.0.1):";
    await expect(fetched({ paths: ["/nowhere/a", "/nowhere/b"] })).rejects.toThrow(
      `${label} there is no kubeconfig at any of /nowhere/a, /nowhere/b\nsay where it is by credentials.path`,
    );
    lay("s3cr3t: [oh\n");
    const broken = await fetched().catch((error: Error) => error.message);
    expect(broken).toMatch(/: this kubeconfig does not parse: \S+ in line \d+ of it \(not shown: a secret\)$/);
    lay("apiVersion: v1\nkind: Secret\ndata: { a: s3cr3t }\n");
    const other = await fetched().catch((error: Error) => error.message);
    expect(other).toBe(`${label} ${path}: this is not a kubeconfig: it has no list of contexts`);
    lay(kubeconfig(undefined, { "client-key-data": undefined, "client-key": "/etc/kubernetes/admin.key" }));
    await expect(fetched()).rejects.toThrow("points to another file (client-key), want it embedded");
    await expect(fetched({ context: "third" })).rejects.toThrow('has no context "third"');
    expect(broken + String(other)).not.toContain("s3cr3t");
  });

  (isRoot ? test : test.skip)("that the user may not read is said to be so, where sudo is no help", async () => {
    lay(kubeconfig());
    chmodSync(directory, 0o755);
    const host = new Host({ kind: "local", name: "paris", address: "127.0.0.1" }, asNobody);
    const wanted = { paths: [path], timeoutSeconds: 20 };
    await expect(fetchKubeconfig(host, "127.0.0.1", wanted)).rejects.toThrow(
      `paris (127.0.0.1): its user can read no kubeconfig at ${path}, and sudo asks for a password\nlog in as root`,
    );
    chmodSync(path, 0o644);
    expect(await fetchKubeconfig(host, "127.0.0.1", wanted)).toMatchObject({ path });
    rmSync(path);
  });

  test("with a program that is to be run for a login is refused: a host would have its way here", async () => {
    const ran = join(directory, "ran");
    lay(
      kubeconfig(undefined, { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "touch", args: [ran] } }),
    );
    await expect(fetched()).rejects.toThrow("its user logs in by another program (exec or auth-provider)");
    expect(existsSync(ran)).toBe(false);
  });

  test("a refresh sees that another one lies there, and the next run fetches it; a host that is away is no difference", async () => {
    lay(kubeconfig());
    const state = { ...inputs(), ...(await fetched()) };
    expect(await provider.read("paris-kubeconfig", state)).toMatchObject({ props: { kubeconfig: state.kubeconfig } });
    expect((await provider.read("paris-kubeconfig", state)).props).not.toHaveProperty("drift");
    lay(kubeconfig(undefined, { token: "n3w" }));
    const seen = await provider.read("paris-kubeconfig", state);
    expect(seen.props).toMatchObject({ drift: [`the kubeconfig at ${path} of 127.0.0.1 is another one`] });
    expect(JSON.stringify(seen.props["drift"])).not.toContain("n3w");
    expect((await provider.diff("paris-kubeconfig", seen.props as never, inputs())).changes).toBe(true);
    const { outs } = await provider.update("paris-kubeconfig", seen.props as never, inputs());
    expect(outs.kubeconfig).toContain("n3w");
    const away = { ...state, host: { ...state.host, port: port + 1 } };
    expect(await provider.read("paris-kubeconfig", away)).toEqual({ id: "paris-kubeconfig", props: away });
  });

  test("it is looked for again in the last 30 days of its certificate", async () => {
    const changes = async (days: number) => {
      const expires = new Date(Date.now() + days * 24 * 3600 * 1000).toISOString();
      const state = { ...inputs(), kubeconfig: "k", path, expires, schemaVersion: 1 };
      return (await provider.diff("paris-kubeconfig", state, inputs())).changes;
    };
    expect([await changes(31), await changes(29)]).toEqual([false, true]);
  });
});

/** A shell of a user who may do nothing in particular. */
const asNobody: Transport = {
  isRoot: false,
  start: (line) => new LocalTransport().start(`su -s /bin/sh nobody -c ${quote(line)}`),
  open: () => Promise.reject(new Error("no ports are opened here")),
  close: () => undefined,
};

/** The public half of a key. */
function authorizedKey(privateKey: string, passphrase: string): string {
  const directory = mkdtempSync(join(tmpdir(), "key-"));
  writeFileSync(join(directory, "key"), privateKey, { mode: 0o600 });
  const key = execFileSync("ssh-keygen", ["-y", "-P", passphrase, "-f", join(directory, "key")]).toString();
  rmSync(directory, { recursive: true });
  return key;
}
