/** The estimator of a member that a team hands to the deployment, or the deployment to a team. */
import * as pulumi from "@pulumi/pulumi";
import type { Process } from "../../components/process.ts";
import { resolve } from "../../spec/resolve.ts";
import { fakePlacement } from "./support/fake-placement.ts";
import { ofEtcd, ofPki, settled, withMocks, type Registered } from "./support/mocks.ts";

const registered = await withMocks({
  ...ofPki,
  ...ofEtcd,
});
const { Karmada } = await import("../../components/karmada.ts");

class Placed extends pulumi.CustomResource {
  constructor({ name }: Process, opts: pulumi.CustomResourceOptions) {
    super("test:index:Placed", name, {}, opts);
  }
}

const controlPlane = { "karmada-scheduler-estimator": { enabled: true } };
const around = { stack: "test", directory: "/stack", stateHome: "/state" };
const served = [{ estimators: { jakarta: "FOR ESTIMATOR" } }];
for (const deployment of [
  resolve({ controlPlane, members: [{ name: "jakarta", credentials: { kind: "simulated" } }] }, around),
  resolve({ controlPlane, teams: ["maps"] }, { ...around, served }),
]) {
  const placement = fakePlacement(
    (process, _files, opts) => ({ resource: new Placed(process, opts), version: pulumi.output("v") }),
    (process, _files, opts) => ({
      resource: new Placed(process, opts),
      version: pulumi.output("v"),
      revision: pulumi.output("r"),
    }),
  );
  new Karmada("prod", { deployment: deployment as never, placement });
}
await settled();

const below = (parent: string, kind: string): Registered => {
  const [found, ...more] = registered.filter((each) => each.parent === parent && each.type.endsWith(kind));
  if (found === undefined || more.length > 0) throw new Error(`${parent} has ${more.length + 1} ${kind}, or none`);
  return found;
};

test.each([
  ["Service", "core/v1:Service"],
  ["program", ":Placed"],
])("its %s is the one it was before", (_, kind) => {
  const own = below("prod-member-jakarta", kind);
  const teams = below("prod-teams", kind);
  const placeOf = ({ name, parentUrn }: Registered) => ({ name, parentUrn });
  // Without a name it is the same.
  const known = ({ name, aliases }: Registered) =>
    aliases.map((alias) => ({ name: alias.name === "" ? name : alias.name, parentUrn: alias.parentUrn }));
  expect(known(own)).toEqual([placeOf(teams)]);
  expect(known(teams)).toEqual([placeOf(own)]);
});
