import { jest } from "@jest/globals";
import { provider } from "../../providers/etcd-membership-impl.ts";
import { membershipInputs } from "../support/etcd-inputs.ts";
import { PreparedEtcd } from "../support/prepared-etcd.ts";

jest.setTimeout(90_000);

const port = 21880;
let etcd: PreparedEtcd;
beforeAll(async () => (etcd = await PreparedEtcd.create(port, 2)));
afterAll(() => etcd.remove());

test("one of two gets another address while it takes both to agree", async () => {
  const { outs } = await provider.create(membershipInputs(etcd) as never);
  const [key] = await etcd.write("/registry/kept", 1);
  await etcd.prepare(port + 4, 1);
  const news = membershipInputs(etcd);
  const { outs: now } = await provider.update("dev", outs as never, news as never);
  expect(now).toMatchObject({
    clusterId: outs!.clusterId,
    memberStates: [{ name: "etcd-0", peerUrl: `https://127.0.0.1:${port + 5}`, role: "voter" }],
  });
  expect(await etcd.keys().get(key!)).toBeDefined();
});
