import fc from "fast-check";
import { chosenMode } from "../../../spec/members/sync-mode.ts";
import { resolve } from "../../../spec/resolve.ts";
import { context, problemsOf, simulated } from "../configuration.ts";

const real = { kind: "kubeconfigFile", path: "x" } as const;
const auto = (networks: string[]) => ({ syncMode: "auto", networks, credentials: real }) as const;

test("a network in common makes it Push, and is named", () => {
  expect(chosenMode(auto(["lab", "corp"]), ["corp", "dmz"])).toEqual({
    syncMode: "Push",
    modeReason: "both are in the network corp",
    fromNetworks: true,
  });
});

test.each([
  ["public control plane, private member", ["office"], ["aws-vpc"]],
  ["two public clouds across the internet", ["azure-vnet"], ["aws-vpc"]],
])("%s: Pull", (_, member, plane) => {
  expect(chosenMode(auto(member), plane)).toEqual({
    syncMode: "Pull",
    modeReason: `it is in ${member.join()}, the control plane in ${plane.join()}: no network in common`,
    fromNetworks: true,
  });
});

test("what is declared wins over every network", () => {
  const names = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1 });
  fc.assert(
    fc.property(names, names, fc.constantFrom("Push" as const, "Pull" as const), (networks, plane, syncMode) => {
      expect(chosenMode({ syncMode, networks, credentials: real }, plane).syncMode).toBe(syncMode);
    }),
  );
});

test("auto is Push exactly where a network is shared, in whatever order they stand", () => {
  const names = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1 });
  fc.assert(
    fc.property(names, names, (networks, plane) => {
      const shared = networks.some((network) => plane.includes(network));
      expect(chosenMode(auto(networks), plane).syncMode).toBe(shared ? "Push" : "Pull");
      expect(chosenMode(auto(networks.toReversed()), plane.toReversed()).syncMode).toBe(shared ? "Push" : "Pull");
    }),
  );
});

test("a simulated member runs beside the control plane, whatever is declared", () => {
  const { members } = resolve({ members: [simulated("m1", { syncMode: "auto" })] }, context);
  expect(members[0]).toMatchObject({ syncMode: "Push", modeReason: "it runs beside the control plane" });
});

test("auto without declared networks is refused on both sides", () => {
  const credentials = { kind: "kubeconfigFile", path: "paris.yaml" };
  const found = problemsOf({ members: [{ name: "paris", syncMode: "auto", credentials }] }, { files: {} });
  expect(found.filter((line) => line.includes("networks"))).toEqual([
    'controlPlane.networks: missing, want the internal networks of the control plane: syncMode "auto" of paris follows from them',
    'members[0].networks: missing, want the internal networks of the cluster: syncMode "auto" follows from them',
  ]);
});
