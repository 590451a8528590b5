import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { jest } from "@jest/globals";
import { parse } from "yaml";
import { connect, type KubeClient } from "../../lib/kube/client.ts";
import type { EncryptedDataInputs } from "../../providers/encrypted-data.ts";
import type { EncryptionKeysInputs, EncryptionKeysOutputs } from "../../providers/encryption-keys.ts";
import { provider as data } from "../../providers/encrypted-data-impl.ts";
import { provider as keys } from "../../providers/encryption-keys-impl.ts";
import { startApiServer, type ApiServer } from "../support/api-server.ts";
import { passwordIn, storedIn, writeSecret } from "../support/secrets-of-api-server.ts";
import { rolledOut } from "../support/former-pod.ts";

jest.setTimeout(180_000);

const directory = mkdtempSync(join(tmpdir(), "encryption-"));
const servers: ApiServer[] = [];
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(directory, { recursive: true });
});

/** A further API server of the same data, which is told so of encryption. */
async function start(configuration?: string): Promise<KubeClient> {
  const file = join(directory, `${servers.length}.yaml`);
  if (configuration !== undefined) writeFileSync(file, configuration);
  const [first] = servers;
  const server = await startApiServer({
    ...(first && { etcd: first.etcd }),
    ...(configuration !== undefined && { flags: { "encryption-provider-config": file } }),
  });
  servers.push(server);
  return connect(server.kubeconfig);
}

type State = EncryptionKeysInputs & EncryptionKeysOutputs;

const kubeconfig = () => servers.at(-1)!.kubeconfig;
const inputs = (more: Partial<EncryptionKeysInputs> = {}): EncryptionKeysInputs => ({
  provider: "secretbox",
  resources: ["secrets", "deployments.apps"],
  rotate: "",
  further: [],
  overlapping: true,
  karmadaKubeconfig: kubeconfig(),
  ...more,
});

/** As etcd has it. */
const stored = (path: string) => storedIn(servers[0]!.etcd, path);

const encryptedBy = async (path: string) => /^k8s:enc:secretbox:v1:([^:]+):/.exec((await stored(path)).text)?.[1];

type Written = Pick<State, "revision" | "told"> & Partial<Pick<State, "encrypted">>;

const dataInputs = ({ revision, told, encrypted = [] }: Written): EncryptedDataInputs => ({
  revision,
  told,
  encrypted,
  resources: ["secrets", "deployments.apps"],
  wanted: ["secrets", "deployments.apps"],
  karmadaKubeconfig: kubeconfig(),
  timeoutSeconds: 60,
});

const writeAll = (state: Written) => data.create(dataInputs(state));

describe("encryption in etcd, by real API servers that share one", () => {
  let state: State;
  let [before, second, third]: KubeClient[] = [];

  test("where others serve that know of none, they are told how to read first", async () => {
    before = await start();
    await writeSecret(before, "first");
    await before.create("/apis/apps/v1/namespaces/default/deployments", {
      metadata: { name: "web" },
      spec: {
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: { containers: [{ name: "web", image: "registry.invalid/web", env: [{ name: "A", value: "s3cret" }] }] },
        },
      },
    });
    state = (await keys.create(inputs())).outs as State;
    expect(state.encrypted).toEqual([]);
    expect(state.keys).toHaveLength(3);
    expect(await keys.diff("keys", state, inputs())).toMatchObject({ changes: true });
    second = await start(state.configuration);
    await writeSecret(second, "second");
    expect(await passwordIn(before, "second")).toBe("of second");
    expect(await encryptedBy("secrets/default/second")).toBeUndefined();
  });

  test("an up that was cut off before all of them were told is gone on with: nobody writes encrypted yet", async () => {
    const cutOff = state.told;
    state = (await keys.update("keys", state, inputs())).outs as State;
    expect([state.encrypted, state.everywhere]).toEqual([[], []]);
    expect(await keys.diff("keys", state, inputs())).toMatchObject({ changes: true });
    await writeAll({ revision: "1", told: cutOff });
    state = (await keys.update("keys", state, inputs())).outs as State;
    expect(state.encrypted).toEqual([]);
  });

  test("then those that write encrypted and those that do not yet read what the others write", async () => {
    await writeAll(state);
    state = (await keys.update("keys", state, inputs())).outs as State;
    expect(state.encrypted).toEqual(["secrets", "deployments.apps"]);
    expect(await keys.diff("keys", state, inputs())).toMatchObject({ changes: false });
    third = await start(state.configuration);
    await writeSecret(third, "third");
    expect(await encryptedBy("secrets/default/third")).toBe(state.keys[0]!.name);
    expect(await passwordIn(second!, "third")).toBe("of third");
    expect(await passwordIn(third, "second")).toBe("of second");
  });

  test("what was there before is written anew, once", async () => {
    await writeAll(state);
    const [current] = state.keys;
    for (const path of ["secrets/default/first", "secrets/default/second", "deployments/default/web"])
      expect([path, await encryptedBy(path)]).toEqual([path, current!.name]);
    const { revision } = await stored("secrets/default/first");
    await writeAll(state);
    expect((await stored("secrets/default/first")).revision).toBe(revision);
  });

  test("another key is written with that all of them know already", async () => {
    const known = state.keys;
    state = (await keys.update("keys", state, inputs({ rotate: "1" }))).outs as State;
    expect(state.keys.slice(0, 3)).toEqual(known);
    expect(state.keys).toHaveLength(4);
    const fourth = await start(state.configuration);
    await writeSecret(fourth, "fourth");
    expect(await encryptedBy("secrets/default/fourth")).toBe(known[1]!.name);
    expect(await passwordIn(third!, "fourth")).toBe("of fourth");
    await writeAll(state);
    expect(await encryptedBy("secrets/default/first")).toBe(known[1]!.name);
  });

  test("one that a change did not come to reads what is written after the next one", async () => {
    const [, , next] = state.keys;
    state = (await keys.update("keys", state, inputs({ rotate: "2" }))).outs as State;
    const fifth = await start(state.configuration);
    await writeSecret(fifth, "fifth");
    expect(await encryptedBy("secrets/default/fifth")).toBe(next!.name);
    expect(await passwordIn(third!, "fifth")).toBe("of fifth");
  });

  test("a resource that comes to the list waits in the same way, and those that are encrypted stay so", async () => {
    const resources = ["secrets", "deployments.apps", "configmaps"];
    const wider = inputs({ rotate: "2", resources });
    const told = (await keys.update("keys", state, wider)).outs as State;
    expect([told.encrypted, told.everywhere]).toEqual([["secrets", "deployments.apps"], state.encrypted]);
    const cutOff = (await keys.update("keys", told, wider)).outs as State;
    expect(cutOff.encrypted).toEqual(["secrets", "deployments.apps"]);
    await writeAll(cutOff);
    expect((await keys.update("keys", cutOff, wider)).outs).toMatchObject({ encrypted: resources });
  });

  test("who was told more is noted without writing anything anew", async () => {
    const { outs } = await data.create(dataInputs(state));
    const more = { ...dataInputs(state), told: "more", wanted: ["absent"], resources: ["absent"] };
    expect((await data.update("data", outs, more)).outs).toMatchObject({
      objects: (outs as { objects: number }).objects,
    });
    expect(await third!.get("/api/v1/namespaces/kube-system")).toMatchObject({
      metadata: { annotations: { "karmada-pulumi/encryption-told": "more" } },
    });
  });

  test("keys are not made anew beside what is encrypted, unless those of before are named", async () => {
    await expect(keys.create(inputs())).rejects.toThrow(
      /^encryption-keys: secrets, deployments.apps: encrypted in etcd with previous keys, and new ones could not read them\nfor another key/,
    );
    const further = state.keys;
    const { configuration } = (await keys.create(inputs({ further }))).outs as State;
    for (const { secret } of further) expect(configuration).toContain(secret);
  });

  test("while a pod with the former settings still serves nothing is written anew: it would write more as before", async () => {
    const former = before!;
    await former.create("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
    const { tell, report } = await rolledOut(former, "karmada-apiserver");
    const changed = (await keys.update("keys", state, inputs({ rotate: "3" }))).outs as State;
    await start(changed.configuration);
    await tell();
    const pods = { kubeconfig: servers[0]!.kubeconfig, namespace: "default", instance: "karmada-apiserver" };
    const written = data.create({ ...dataInputs(changed), pods });
    await Promise.race([written, sleep(2000)]);
    await writeSecret(former, "late");
    const annotations = (await former.get("/api/v1/namespaces/kube-system")).metadata?.annotations;
    await report();
    await written;
    expect(annotations?.["karmada-pulumi/encryption-told"]).not.toBe(changed.told);
    expect(await encryptedBy("secrets/default/late")).toBe(changed.current);
  });

  test("a resource that leaves the list, and all of them on the way back, are in clear again", async () => {
    state = (await keys.update("keys", state, inputs({ rotate: "2", provider: "identity", resources: ["secrets"] })))
      .outs as State;
    expect([state.encrypted, state.readable]).toEqual([[], ["secrets", "deployments.apps"]]);
    const sixth = await start(state.configuration);
    await writeAll(state);
    for (const path of ["secrets/default/first", "secrets/default/fourth", "deployments/default/web"])
      expect([path, await encryptedBy(path)]).toEqual([path, undefined]);
    expect(await passwordIn(sixth, "fourth")).toBe("of fourth");
    expect((await stored("deployments/default/web")).text).toContain("s3cret");
    expect((await keys.create(inputs())).outs).toMatchObject({ encrypted: [] });
  });

  test("one that was wanted once, and is there no more or never was, holds nothing up", async () => {
    const resources = ["secret", "works.example.org", "secrets"];
    const args = { ...dataInputs({ revision: "1", told: "1" }), resources, wanted: ["secrets"] };
    expect((await data.create(args)).outs).toMatchObject({ objects: 6 });
  });

  test("a resource that there is not is named", async () => {
    const wanted = ["secret", "works.example.org"];
    const args = { ...dataInputs({ revision: "1", told: "1" }), resources: ["secret"], wanted };
    const want = "want the plural and its group, as `kubectl api-resources -o name` has them";
    await expect(data.create(args)).rejects.toThrow(`secret: Karmada has no such resource; ${want}`);
    await expect(data.create({ ...args, resources: ["works.example.org"] })).rejects.toThrow(
      `works.example.org: Karmada has no such resource; ${want}`,
    );
  });
});

describe("encryption where nothing serves that knows of none", () => {
  const nowhere = () => parse(servers[0]!.kubeconfig) as { clusters: { cluster: Record<string, string> }[] };

  test("is on from the first on: API servers come one after another, or there are none yet", async () => {
    const alone = (await keys.create(inputs({ overlapping: false }))).outs as State;
    expect(alone.encrypted).toEqual(["secrets", "deployments.apps"]);
    const config = nowhere();
    config.clusters[0]!.cluster.server = "https://127.0.0.1:1";
    const fresh = (await keys.create(inputs({ karmadaKubeconfig: JSON.stringify(config) }))).outs as State;
    expect(fresh.encrypted).toEqual(["secrets", "deployments.apps"]);
  });

  test("is not taken to be so by an answer that says no, nor by a certificate of another authority", async () => {
    const busy = createServer((_, response) => response.writeHead(503).end("not yet"));
    await new Promise<void>((resolve) => busy.listen(0, "127.0.0.1", resolve));
    const saysNo = nowhere();
    saysNo.clusters[0]!.cluster.server = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`;
    const stranger = nowhere();
    delete stranger.clusters[0]!.cluster["certificate-authority-data"];
    const states = [saysNo, stranger].map((config) =>
      keys.create(inputs({ karmadaKubeconfig: JSON.stringify(config) })),
    );
    const found = (await Promise.all(states)).map(({ outs }) => (outs as State).encrypted);
    busy.close();
    expect(found).toEqual([[], []]);
  });

  test("what is there is written anew after each change of how it is written, one that is taken back as well", async () => {
    const alone = (more: Partial<EncryptionKeysInputs> = {}) => inputs({ overlapping: false, ...more });
    let state = (await keys.create(alone())).outs as State;
    const revisions = [state.revision];
    const change = async (more: Partial<EncryptionKeysInputs>) => {
      state = (await keys.update("keys", state, alone(more))).outs as State;
      revisions.push(state.revision);
    };
    await change({ provider: "identity" });
    await change({});
    await change({ rotate: "1" });
    expect(new Set(revisions).size).toBe(4);
    await change({ rotate: "1", further: [{ name: "of-before", secret: Buffer.alloc(32, 7).toString("base64") }] });
    expect(revisions[4]).toBe(revisions[3]);
  });

  test("keys of before there were two ahead stay as they are until the next of them is written with", async () => {
    const alone = inputs({ overlapping: false });
    const { current, keys: made, ...rest } = (await keys.create(alone)).outs as State;
    const former = { ...rest, keys: made.slice(0, 2) };
    const same = (await keys.update("keys", former, alone)).outs as State;
    expect(same).toMatchObject({ keys: former.keys, current, revision: former.revision });
    const next = (await keys.update("keys", same, { ...alone, rotate: "1" })).outs as State;
    expect(next).toMatchObject({ keys: [...former.keys, {}, {}], current: former.keys[1]!.name });
  });

  test("further keys are read with, after those of its own", async () => {
    const further = [{ name: "of-before", secret: Buffer.alloc(32, 7).toString("base64") }];
    const { configuration, keys: own } = (await keys.create(inputs({ overlapping: false, further }))).outs as State;
    const { resources } = parse(configuration) as { resources: { providers: { secretbox?: { keys: object[] } }[] }[] };
    expect(resources[0]!.providers[0]!.secretbox!.keys).toEqual([...own, ...further]);
  });
});
