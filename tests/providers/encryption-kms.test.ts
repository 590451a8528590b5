import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { connect, type KubeClient } from "../../lib/kube/client.ts";
import { encryptionConfiguration } from "../../lib/kube/encryption.ts";
import { probe } from "../../lib/probe.ts";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { provider as data } from "../../providers/encrypted-data-impl.ts";
import { provider as keys } from "../../providers/encryption-keys-impl.ts";
import type { EncryptionKeysInputs, EncryptionKeysOutputs } from "../../providers/encryption-keys.ts";
import { encrypterOf, settledOf } from "../../providers/encryption/encrypters.ts";
import { startApiServer, type ApiServer } from "../support/api-server.ts";
import { startKmsPlugin, type KmsPlugin } from "../support/kms-plugin.ts";
import { passwordIn, storedIn, writeSecret } from "../support/secrets-of-api-server.ts";

jest.setTimeout(180_000);

const directory = mkdtempSync(join(tmpdir(), "kms-"));
const plugins: Record<string, KmsPlugin> = {};
const servers: ApiServer[] = [];

const kms = (name: string) => ({ name, endpoint: `unix://${directory}/${name}.sock`, timeout: "3s" }) as const;

beforeAll(async () => {
  for (const name of ["vault", "cloud"]) plugins[name] = await startKmsPlugin(kms(name).endpoint, name);
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await Promise.all(Object.values(plugins).map((plugin) => plugin.stop()));
  rmSync(directory, { recursive: true });
});

/** A further API server of the same data, which is told so of encryption. */
async function start(configuration: string | undefined, ready = true): Promise<ApiServer> {
  const file = join(directory, `${servers.length}.yaml`);
  if (configuration !== undefined) writeFileSync(file, configuration);
  const [first] = servers;
  const server = await startApiServer({
    ...(first && { etcd: first.etcd }),
    ...(configuration !== undefined && { flags: { v: "2", "encryption-provider-config": file } }),
    ready,
  });
  servers.push(server);
  return server;
}

/** The same, in the place of all but the first one, which goes on without encryption. */
async function startInstead(configuration: string): Promise<KubeClient> {
  const server = await start(configuration);
  const former = servers.splice(1, servers.length - 2);
  await Promise.all(former.map((each) => each.stop()));
  return connect(server.kubeconfig);
}

type State = EncryptionKeysInputs & EncryptionKeysOutputs;
type Encryption = Pick<EncryptionKeysInputs, "provider"> & Partial<EncryptionKeysInputs>;

const inputs = (encryption: Encryption): EncryptionKeysInputs => ({
  resources: ["secrets", "configmaps"],
  rotate: "",
  further: [],
  overlapping: true,
  karmadaKubeconfig: servers.at(-1)!.kubeconfig,
  ...encryption,
});

const update = async (state: State, encryption: Encryption) =>
  (await keys.update("keys", state, inputs(encryption))).outs as State;
const hasChanges = async (state: State, encryption: Encryption) =>
  (await keys.diff("keys", state, inputs(encryption))).changes;

/** What is encrypted as declared. */
const settled = (state: State) => settledOf(state, encrypterOf(state));

const stored = (name: string) => storedIn(servers[0]!.etcd, `secrets/default/${name}`);

/** What a Secret in etcd says that it is encrypted by. */
const encryptedBy = async (name: string) => /^k8s:enc:([a-z]+:v\d:[^:]+):/.exec((await stored(name)).text)?.[1];

const writeAll = ({ revision, told, encrypted, encrypters, readable }: State) =>
  data.create({
    ...{ revision, told, encrypted, by: [...new Set(Object.values(encrypters))], resources: readable },
    ...{ wanted: ["secrets", "configmaps"], karmadaKubeconfig: servers.at(-1)!.kubeconfig, timeoutSeconds: 60 },
  });

describe("encryption by the plugin of a key service, by real API servers that share an etcd", () => {
  const [vault, cloud] = [kms("vault"), kms("cloud")].map((plugin): Encryption => ({ provider: "kms", kms: plugin }));
  let state: State;
  let plane: KubeClient;

  test("where others serve that know of none they are told to read first; then what is there is written anew, without a key of ours", async () => {
    const first = await connect((await start(undefined)).kubeconfig);
    await writeSecret(first, "first");
    state = (await keys.create(inputs(vault!))).outs as State;
    expect([state.keys, state.encrypted]).toEqual([[], []]);
    plane = await startInstead(state.configuration);
    await writeSecret(plane, "second");
    expect(await encryptedBy("second")).toBeUndefined();
    await writeAll(state);
    state = await update(state, vault!);
    const next = await startInstead(state.configuration);
    await writeAll(state);
    expect(await encryptedBy("first")).toBe("kms:v2:vault.secrets");
    expect(await encryptedBy("second")).toBe("kms:v2:vault.secrets");
    expect((await stored("first")).text).not.toContain("of first");
    expect(await passwordIn(next, "first")).toBe("of first");
    expect(await hasChanges(state, vault!)).toBe(false);
    plane = next;
  });

  test("a key that was replaced in the service comes into use when rotate says so", async () => {
    expect((await stored("first")).text).toContain("vault-1");
    plugins["vault"]!.rotate();
    const { configuration, revision } = state;
    state = await update(state, { ...vault!, rotate: "1" });
    expect(state.configuration).toBe(configuration);
    // By it what is in etcd is written anew.
    expect(state.revision).not.toBe(revision);
    plane = await startInstead(state.configuration);
    await writeAll(state);
    expect((await stored("first")).text).toContain("vault-2");
    expect(await passwordIn(plane, "first")).toBe("of first");
  });

  test("a resource that comes to the list is read first, and what is encrypted stays so", async () => {
    const wider = { ...vault!, rotate: "1", resources: ["secrets", "configmaps", "deployments.apps"] };
    const told = await update(state, wider);
    expect([told.encrypted, settled(told)]).toEqual([
      ["secrets", "configmaps"],
      ["secrets", "configmaps"],
    ]);
    const other = await start(told.configuration);
    await writeSecret(await connect(other.kubeconfig), "meanwhile");
    expect(await encryptedBy("meanwhile")).toBe("kms:v2:vault.secrets");
    expect(await passwordIn(plane, "meanwhile")).toBe("of meanwhile");
    await servers.pop()!.stop();
  });

  test("everything moves to another plugin, with the former one to read by until nothing is left of it", async () => {
    const moving = { ...cloud!, rotate: "1" };
    state = await update(state, moving);
    expect([state.plugins.map(({ name }) => name), state.encrypted, settled(state)]).toEqual([
      ["cloud", "vault"],
      ["secrets", "configmaps"],
      [],
    ]);
    plane = await startInstead(state.configuration);
    await writeSecret(plane, "third");
    expect(await encryptedBy("third")).toBe("kms:v2:vault.secrets");
    await writeAll(state);

    state = await update(state, moving);
    const next = await startInstead(state.configuration);
    await writeSecret(next, "fourth");
    expect(await encryptedBy("fourth")).toBe("kms:v2:cloud.secrets");
    expect(await passwordIn(next, "third")).toBe("of third");
    expect(await hasChanges(state, moving)).toBe(true);
    expect((await update(state, moving)).plugins).toHaveLength(2); // it was cut off before all was written anew
    await writeAll(state);
    expect(await encryptedBy("third")).toBe("kms:v2:cloud.secrets");

    state = await update(state, moving);
    expect([state.plugins.map(({ name }) => name), await hasChanges(state, moving)]).toEqual([["cloud"], false]);
    await plugins["vault"]!.stop();
    plane = await startInstead(state.configuration);
    expect(await passwordIn(plane, "first")).toBe("of first");
    await writeAll(state);
  });

  test("keys of ours do not take its place at once, nor another plugin where the state is lost", async () => {
    await expect(keys.create(inputs({ provider: "secretbox" }))).rejects.toThrow(
      'encryption-keys: secrets, configmaps: encrypted in etcd by the key service\'s plugin "cloud", and nothing else could read them\n' +
        "set controlPlane.encryption to provider: kms, name: cloud first",
    );
    await expect(keys.create(inputs(vault!))).rejects.toThrow("provider: kms, name: cloud first");
    const again = (await keys.create(inputs(cloud!))).outs as State;
    expect(again.encrypters).toEqual({ secrets: "kms:cloud", configmaps: "kms:cloud" });
  });

  test("everything moves to keys of ours, and back", async () => {
    const ours = { provider: "secretbox", rotate: "1" } as const;
    state = await update(state, ours);
    expect([state.keys.length, Object.values(state.encrypters)]).toEqual([3, ["kms:cloud", "kms:cloud"]]);
    await startInstead(state.configuration);
    await writeAll(state);
    state = await update(state, ours);
    plane = await startInstead(state.configuration);
    await writeAll(state);
    expect(await encryptedBy("first")).toBe(`secretbox:v1:${state.current}`);
    expect(await passwordIn(plane, "fourth")).toBe("of fourth");
    state = await update(state, ours);
    expect(state.plugins).toEqual([]);
    await writeAll(state);

    const back = { ...cloud!, rotate: "1" };
    state = await update(state, back);
    expect(Object.values(state.encrypters)).toEqual(["secretbox", "secretbox"]);
    await startInstead(state.configuration);
    await writeAll(state);
    state = await update(state, back);
    plane = await startInstead(state.configuration);
    await writeAll(state);
    expect(await encryptedBy("first")).toBe("kms:v2:cloud.secrets");
  });

  test("an API server whose plugin does not answer says so, and is not ready", async () => {
    const encrypted = ["secrets", "configmaps"].map((resource) => [resource, "kms:cloud"] as const);
    const settings = {
      keys: [],
      kms: [{ ...kms("cloud"), endpoint: `unix://${directory}/away.sock` }],
      encrypted,
      clear: [],
    };
    const { url, programs } = await start(encryptionConfiguration(settings), false);
    const ready = waitFor("it", deadlineIn(30), () => probe({ kind: "http", url: `${url}/readyz`, answerSeconds: 15 }));
    await expect(ready).rejects.toThrow("answered 500: [-]kms-providers failed: reason withheld");
    expect(programs.log("kube-apiserver")).toContain(
      `dial unix ${directory}/away.sock: connect: no such file or directory`,
    );
    await servers.pop()!.stop();
  });

  test("a single API server moves at once, and the same plugin at another socket encrypts as before", async () => {
    const alone = { overlapping: false, rotate: "1" };
    const elsewhere = { ...cloud!, kms: { ...kms("cloud"), endpoint: `unix://${directory}/elsewhere.sock` } };
    const reached = await update(state, { ...elsewhere, ...alone });
    expect([reached.plugins, reached.revision]).toEqual([[elsewhere.kms], state.revision]);
    const moved = await update(state, { ...vault!, ...alone });
    expect(moved).toMatchObject({
      encrypters: { secrets: "kms:vault", configmaps: "kms:vault" },
      plugins: [{ name: "vault" }, { name: "cloud" }],
    });
    expect(moved.revision).not.toBe(state.revision);
  });

  test("on the way back everything is in clear, after which no plugin is asked", async () => {
    const inClear = { provider: "identity", rotate: "1" } as const;
    state = await update(state, inClear);
    plane = await startInstead(state.configuration);
    await writeAll(state);
    expect(await encryptedBy("first")).toBeUndefined();
    expect((await stored("first")).text).toContain("of first");
    expect(await hasChanges(state, inClear)).toBe(true);
    state = await update(state, inClear);
    expect([state.plugins, await hasChanges(state, inClear)]).toEqual([[], false]);
    expect((await keys.create(inputs(vault!))).outs).toMatchObject({ encrypted: [] });
  });
});
