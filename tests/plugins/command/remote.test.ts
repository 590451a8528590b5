import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Archive, Asset, Secret, UNKNOWN, Unknown } from "../../../toolchain/plugins/server/index.ts";
import type { Properties } from "../../../toolchain/plugins/server/index.ts";
import { startPlugin } from "../support/plugin.ts";
import type { Plugin } from "../support/plugin.ts";
import { hasSshd, startSshd } from "./sshd.ts";
import type { Sshd } from "./sshd.ts";

const COMMAND = "command:remote:Command";
const COPY = "command:remote:CopyToRemote";
const PORT = 31210;
const CLOSED_PORT = 31211;

let plugin: Plugin;
beforeAll(async () => {
  plugin = await startPlugin("command", { env: { SSH_AUTH_SOCK: "" } });
});
afterAll(() => plugin[Symbol.asyncDispose]());

test("a checked connection is secret, with defaults and secrets in it", async () => {
  const connection = { host: "h", password: "p", proxy: { host: "p" } };
  const defaults = { user: "root", port: 22, dialErrorLimit: 10, perDialTimeout: 15 };
  expect(await plugin.check(COMMAND, { connection, create: "x" })).toEqual({
    failures: [],
    inputs: {
      create: "x",
      connection: new Secret({ ...defaults, host: "h", password: new Secret("p"), proxy: { ...defaults, host: "p" } }),
    },
  });
});

test("a missing or wrong field of a connection is named", async () => {
  const failures = async (news: Properties) => (await plugin.check(COMMAND, news)).failures;
  expect(await failures({})).toEqual([
    { property: "connection", reason: "Missing required field 'connection' on 'remote.CommandInputs'" },
  ]);
  expect(await failures({ connection: { port: "22" } })).toEqual([
    {
      property: "connection",
      reason: expect.stringContaining("Field 'port' on 'remote.Connection' must be a 'float64'; got 'string' instead"),
    },
  ]);
  expect(await failures({ connection: { host: UNKNOWN } })).toEqual([]);
});

test("a host that does not answer is tried as often as it may, and the number is told", async () => {
  const before = plugin.messages.length;
  const connection = { host: "127.0.0.1", port: CLOSED_PORT, user: "u", perDialTimeout: 5, dialErrorLimit: 2 };
  await expect(plugin.create(COMMAND, { connection, create: "true" })).rejects.toThrow(
    `after 2 failed attempts: dial tcp 127.0.0.1:${CLOSED_PORT}: connect: connection refused`,
  );
  const messages = plugin.messages.slice(before).map(({ text }) => text);
  expect(messages).toEqual(["Dial 1/2 failed: retrying", "Dial 2/2 failed: retrying"]);
});

(hasSshd() ? describe : describe.skip)("against a real sshd", () => {
  let sshd: Sshd;
  let dir: string;
  let login: Record<string, string | number>;
  beforeAll(async () => {
    sshd = await startSshd(PORT);
    dir = mkdtempSync(join(tmpdir(), "remote-"));
    const { port, user, privateKey, hostKey } = sshd;
    login = { host: "127.0.0.1", port, user, privateKey, hostKey, dialErrorLimit: 0, perDialTimeout: 15 };
  });
  afterAll(() => {
    sshd.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const inputs = (more: Properties = {}, connection: Properties = {}): Properties => ({
    connection: new Secret({ ...login, ...connection }),
    ...more,
  });
  const create = (more: Properties, connection?: Properties) => plugin.create(COMMAND, inputs(more, connection));

  test("a command gets its standard input and accepted variables, and gives what it wrote", async () => {
    const { id, outputs } = await create({
      ...{ create: 'cat; echo "$ALLOWED_A"; echo oh >&2', stdin: "in\n", environment: { ALLOWED_A: "v" } },
    });
    expect(id).toMatch(/^thing[0-9a-f]{8}$/);
    expect(outputs).toMatchObject({ stdout: "in\nv", stderr: "oh", stdin: "in\n" });
    expect(outputs["connection"]).toBeInstanceOf(Secret);
  });

  test("a preview runs nothing", async () => {
    const outputs = await plugin.preview(COMMAND, inputs({ create: `touch ${dir}/preview` }));
    expect(outputs["stdout"]).toBeInstanceOf(Unknown);
    expect(existsSync(join(dir, "preview"))).toBe(false);
  });

  test("update and delete run their commands", async () => {
    const state = await create({ create: "echo one" });
    const news = inputs({
      create: "echo one",
      update: `echo two; echo u > ${dir}/updated`,
      addPreviousOutputInEnv: false,
    });
    expect(await plugin.update(COMMAND, state, news)).toMatchObject({ stdout: "two", stderr: "" });
    expect(readFileSync(join(dir, "updated"), "utf8")).toBe("u\n");
    const outputs = { ...state.outputs, delete: `rm ${dir}/updated`, addPreviousOutputInEnv: false };
    await plugin.delete(COMMAND, { ...state, outputs });
    expect(existsSync(join(dir, "updated"))).toBe(false);
  });

  test("a refused variable keeps the command from running, the output before only warns", async () => {
    const command = { create: `touch ${dir}/ran`, environment: { REFUSED: "not shown" } };
    await expect(create(command)).rejects.toThrow('could not set environment variable "REFUSED": ssh: setenv failed');
    expect(existsSync(join(dir, "ran"))).toBe(false);
    const state = await create({ create: "echo one" });
    expect(await plugin.update(COMMAND, state, inputs({ create: "echo two" }))).toMatchObject({ stdout: "two" });
    const warned = plugin.messages.filter(({ severity }) => severity === "warning").map(({ text }) => text);
    expect(warned.at(-1)).toMatch(/^Unable to set 'PULUMI_COMMAND_STDOUT'\. This only works if your SSH server/);
  });

  test("a failed command is told with its status and output", async () => {
    await expect(create({ create: "echo out; exit 7" })).rejects.toThrow(
      'Process exited with status 7: running "echo out; exit 7":\nout\n',
    );
  });

  test("an encrypted key needs its passphrase", async () => {
    const privateKey = sshd.encryptedKey;
    const opened = await create({ create: "echo ok" }, { privateKey, privateKeyPassword: sshd.passphrase });
    expect(opened.outputs["stdout"]).toBe("ok");
    await expect(create({ create: "x" }, { privateKey })).rejects.toThrow(
      "ssh: this private key is passphrase protected",
    );
    await expect(create({ create: "x" }, { privateKey: "junk" })).rejects.toThrow("ssh: no key found");
  });

  test("another host key than the one pinned is refused", async () => {
    const other = sshd.hostKey.replace(/AAAA\S+/, (key) => key.slice(0, -4) + (key.endsWith("AAAA") ? "BBBB" : "AAAA"));
    await expect(create({ create: "true" }, { hostKey: other })).rejects.toThrow(
      "after 0 failed attempts: ssh: handshake failed: ssh: host key mismatch",
    );
    await expect(create({ create: "true" }, { hostKey: "junk" })).rejects.toThrow(
      "failed to parse host key: ssh: no key found",
    );
  });

  test("a login nobody accepts is told with what was tried", async () => {
    await expect(create({ create: "true" }, { user: "nobody" })).rejects.toThrow(
      "ssh: handshake failed: ssh: unable to authenticate, attempted methods [none publickey], no supported methods remain",
    );
  });

  test("a connection can go through another host", async () => {
    expect((await create({ create: "echo far" }, { proxy: { ...login } })).outputs["stdout"]).toBe("far");
    await expect(create({ create: "true" }, { port: CLOSED_PORT, proxy: { ...login } })).rejects.toThrow(
      "proxy: after 0 failed attempts: ssh: rejected: connect failed (Connection refused)",
    );
  });

  test("a text and a file are copied, with the directories above them", async () => {
    const text = new Asset({ text: "hello" }, "aa");
    await plugin.create(COPY, inputs({ source: text, remotePath: `${dir}/a/b/text` }));
    expect(readFileSync(join(dir, "a/b/text"), "utf8")).toBe("hello");
    writeFileSync(join(dir, "file"), "content");
    await plugin.create(
      COPY,
      inputs({ source: new Asset({ path: join(dir, "file") }, "bb"), remotePath: `${dir}/a/b` }),
    );
    expect(readFileSync(join(dir, "a/b/file"), "utf8")).toBe("content");
    await expect(plugin.create(COPY, inputs({ source: text, remotePath: `${dir}/a` }))).rejects.toThrow(
      `remote path ${dir}/a is a directory; when using a text asset, remotePath must be a file path`,
    );
  });

  test("a directory is copied under its name, or its content when its path ends in a slash", async () => {
    mkdirSync(join(dir, "src/deep"), { recursive: true });
    writeFileSync(join(dir, "src/deep/x"), "1");
    await plugin.create(
      COPY,
      inputs({ source: new Archive({ path: join(dir, "src") }, "cc"), remotePath: `${dir}/d` }),
    );
    expect(readFileSync(join(dir, "d/src/deep/x"), "utf8")).toBe("1");
    await plugin.create(COPY, inputs({ source: new Archive({ path: `${dir}/src/` }, "cc"), remotePath: `${dir}/e` }));
    expect(readFileSync(join(dir, "e/deep/x"), "utf8")).toBe("1");
  });

  test("only new content or a new path is copied again, and deleting leaves the copy", async () => {
    const of = (hash: string) => inputs({ source: new Asset({ text: hash }, hash), remotePath: `${dir}/again` });
    const state = await plugin.create(COPY, of("one"));
    rmSync(join(dir, "again"));
    await plugin.update(COPY, state, of("one"));
    expect(existsSync(join(dir, "again"))).toBe(false);
    expect((await plugin.diff(COPY, state, of("two"))).detailed).toEqual({
      source: { kind: "update", inputDiff: false },
    });
    await plugin.update(COPY, state, of("two"));
    await plugin.delete(COPY, state);
    expect(readFileSync(join(dir, "again"), "utf8")).toBe("two");
  });

  test("no key, password or refused value is in the messages", () => {
    const secrets = [sshd.privateKey.split("\n")[2]!, sshd.passphrase, "not shown"];
    for (const secret of secrets) expect(plugin.messages.filter(({ text }) => text.includes(secret))).toEqual([]);
  });
});
