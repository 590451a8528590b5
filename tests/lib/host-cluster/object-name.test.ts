import fc from "fast-check";
import { objectName } from "../../../lib/host-cluster/object-name.ts";

test("a program's objects have its name where they may", () => {
  expect(objectName("etcd-0")).toBe("etcd-0");
  expect(objectName("oslo-karmada-scheduler-estimator")).toBe("oslo-karmada-scheduler-estimator");
});

test("a name that is too long, or begins with a digit, becomes one that is allowed, different for each", () => {
  const member = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,46}[a-z0-9])?$/);
  const programs = ["karmada-agent", "karmada-scheduler-estimator"];
  fc.assert(
    fc.property(fc.uniqueArray(member, { minLength: 2, maxLength: 20 }), (members) => {
      const names = members.flatMap((each) => programs.map((program) => objectName(`${each}-${program}`)));
      for (const name of names) expect(name).toMatch(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/);
      expect(new Set(names).size).toBe(names.length);
    }),
  );
});
