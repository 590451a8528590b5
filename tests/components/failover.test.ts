import { declareFailover } from "../../components/failover.ts";
import { settled, withMocks } from "./support/mocks.ts";

const registered = await withMocks();

test("members that are not Ready are tainted, and are not once they are; nothing is made where that is off", async () => {
  const usual = { evictionsPerSecond: 10, purge: "Gracefully" as const };
  declareFailover("off", { enabled: false, ...usual }, {});
  declareFailover("on", { enabled: true, ...usual }, {});
  await settled();
  expect(registered.filter(({ type }) => type.includes("ClusterTaintPolicy"))).toMatchObject([
    {
      name: "on",
      inputs: {
        metadata: { name: "failover" },
        spec: {
          addOnConditions: [{ conditionType: "Ready", operator: "NotIn", statusValues: ["True"] }],
          removeOnConditions: [{ conditionType: "Ready", operator: "In", statusValues: ["True"] }],
          taints: [{ key: "not-ready", effect: "NoExecute" }],
        },
      },
    },
  ]);
});
