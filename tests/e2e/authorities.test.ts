/** A Karmada that made its authorities is given others while it runs. */
import { jest } from "@jest/globals";
import { connect, type KubeClient } from "../../lib/kube/client.ts";
import { deadlineIn } from "../../lib/wait.ts";
import { createAuthority } from "../support/certificates.ts";
import { Propagation } from "./support/propagation.ts";
import { TestStack } from "./support/stack.ts";

jest.setTimeout(400_000);

const members = ["one", "two"].map((name, i) => ({
  name,
  syncMode: i === 0 ? "Push" : "Pull",
  credentials: { kind: "simulated", nodes: 1 },
}));
let stack: TestStack;

beforeAll(async () => {
  stack = await TestStack.create({ etcd: { kind: "managed", members: 1 }, members }, 27000);
  await stack.up();
});

afterAll(() => stack?.remove(), 180_000);

test("other authorities take the place of those that were made: the preview shows it, one up does it", async () => {
  const { kubeconfig: former } = await stack.outputs<{ kubeconfig: string }>();
  const [karmada, front] = await Promise.all([createAuthority("karmada"), createAuthority("front-proxy")]);
  const given = ({ certificate, key }: typeof karmada) => ({ certificate, key });
  stack.config["pki"] = { authorities: { karmada: given(karmada), "front-proxy": given(front) } };
  const { text } = await stack.successfully(["preview"]);
  expect(text).toMatch(/- +tls:index:SelfSignedCert +\S+-ca-karmada +delete/);
  await stack.up();
  const { kubeconfig } = await stack.outputs<{ kubeconfig: string }>();
  const plane: KubeClient = await connect(kubeconfig);
  await new Propagation(0, { one: plane, two: plane }).ready(plane, deadlineIn(90));
  await expect((await connect(former)).get("/api/v1/namespaces/default")).rejects.toThrow(/certificate/);
  await stack.up("--expect-no-changes");
});
