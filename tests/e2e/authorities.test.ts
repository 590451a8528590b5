/** A Karmada that runs has the keys of its authorities replaced, and then is given other authorities. */
import { get } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { jest } from "@jest/globals";
import { connect, type KubeClient } from "../../lib/kube/client.ts";
import { deadlineIn } from "../../lib/wait.ts";
import { createAuthority } from "../support/certificates.ts";
import { Propagation } from "./support/propagation.ts";
import { TestStack } from "./support/stack.ts";

jest.setTimeout(900_000);

const members = ["one", "two"].map((name, i) => ({
  name,
  syncMode: i === 0 ? "Push" : "Pull",
  credentials: { kind: "simulated", nodes: 1 },
  ...(i === 1 && { agent: { kind: "beside", registration: "bootstrapToken" } }),
}));
let stack: TestStack;

beforeAll(async () => {
  stack = await TestStack.create({ etcd: { kind: "managed", members: 3 }, members }, 27000);
  await stack.up();
});

afterAll(() => stack?.remove(), 180_000);

/** Whether a member of etcd lets somebody in. */
const answers = ({ endpoints: [endpoint], ca, certificate: cert, key }: Access): Promise<boolean> =>
  new Promise((resolve) => {
    get(`${endpoint}/health?serializable=true`, { ca, cert, key, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on("error", () => {
      resolve(false);
    });
  });

interface Access {
  readonly endpoints: readonly string[];
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** Reads all the time. @returns what ends that, and gives each refusal there was; not serving is none */
function reading(client: KubeClient): () => Promise<string[]> {
  const refusals: string[] = [];
  let goesOn = true;
  const read = async () => {
    for (; goesOn; await sleep(200)) {
      await client.get("/api/v1/namespaces/default").catch((error: unknown) => {
        if (/certificate|alert|Unauthorized|401/i.test(String(error))) refusals.push(String(error));
      });
    }
  };
  const all = read();
  return async () => {
    goesOn = false;
    await all;
    return refusals;
  };
}

async function works(): Promise<KubeClient> {
  const { kubeconfig } = await stack.outputs<{ kubeconfig: string }>();
  const plane = await connect(kubeconfig);
  await new Propagation(0, { one: plane, two: plane }).ready(plane, deadlineIn(90));
  return plane;
}

const allOf = (keys: readonly string[]) =>
  Object.fromEntries(["etcd", "etcd-peer", "karmada", "front-proxy"].map((name) => [name, keys]));

test("keys are replaced in three edits, and nobody is refused before the last, which refuses what the former key signed", async () => {
  stack.config["pki"] = { authorityKeys: allOf(["initial", "next"]) };
  await stack.up();
  const { kubeconfig, etcdAccess } = await stack.outputs<{ kubeconfig: string; etcdAccess: Access }>();
  await works();

  const end = reading(await connect(kubeconfig));
  stack.config["pki"] = { authorityKeys: allOf(["next", "initial"]) };
  const { text } = await stack.successfully(["preview"]);
  expect(text).not.toMatch(/without an outage/);
  await stack.up();
  await works();
  expect(await end()).toEqual([]);
  expect(await answers(etcdAccess)).toBe(true);

  stack.config["pki"] = { authorityKeys: allOf(["next"]) };
  const { text: last } = await stack.successfully(["preview"]);
  expect(last).toMatch(/- +tls:index:PrivateKey +\S+-ca-karmada-key +delete/);
  await stack.up();
  await works();
  await expect((await connect(kubeconfig)).get("/api/v1/namespaces/default")).rejects.toThrow();
  expect(await answers(etcdAccess)).toBe(false);
  const now = await stack.outputs<{ certificates: object; etcdAccess: Access }>();
  expect(await answers(now.etcdAccess)).toBe(true);
  expect(Object.keys(now.certificates).filter((name) => name.startsWith("ca-karmada"))).toEqual(["ca-karmada/next"]);
  await stack.up("--expect-no-changes");
});

test("an edit that leaves steps out is warned of", async () => {
  const { pki } = stack.config;
  stack.config["pki"] = { authorityKeys: { ...allOf(["next"]), karmada: ["after"] } };
  const { text } = await stack.successfully(["preview"]);
  expect(text).toMatch(/pki\.authorityKeys\.karmada: got \[after\] after \[next\]/);
  stack.config["pki"] = pki;
});

test("other authorities take the place of those that were made: the preview shows it, one up does it", async () => {
  const { kubeconfig: former } = await stack.outputs<{ kubeconfig: string }>();
  const [karmada, front] = await Promise.all([createAuthority("karmada"), createAuthority("front-proxy")]);
  const given = ({ certificate, key }: typeof karmada) => ({ certificate, key });
  const { karmada: _, "front-proxy": _front, ...authorityKeys } = allOf(["next"]);
  stack.config["pki"] = { authorityKeys, authorities: { karmada: given(karmada), "front-proxy": given(front) } };
  const { text } = await stack.successfully(["preview"]);
  expect(text).toMatch(/- +tls:index:SelfSignedCert +\S+-ca-karmada\/next +delete/);
  await stack.up();
  await works();
  await expect((await connect(former)).get("/api/v1/namespaces/default")).rejects.toThrow(/certificate/);
  await stack.up("--expect-no-changes");
});
