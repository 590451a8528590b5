import { flagsOf, programsByPublisher, publisherOf } from "../../../spec/control-plane/program-flags.ts";
import { pinnedVersions } from "../../../spec/versions.ts";

const programs = Object.values(programsByPublisher).flat();

test.each(programs)("the flags of %s are known for every version", (program) => {
  for (const version of pinnedVersions[publisherOf(program)]) {
    const { flags } = flagsOf(program, version);
    expect(flags.size).toBeGreaterThan(30);
    expect(flags).not.toContain("help");
  }
});

test("the flags are those the programs print", () => {
  expect(flagsOf("karmada-scheduler", "1.18.2").featureGates).toContain("SchedulingOvercommitProtection");
  expect(flagsOf("karmada-scheduler", "1.17.1").featureGates).not.toContain("SchedulingOvercommitProtection");
  expect(flagsOf("karmada-metrics-adapter", "1.18.2").flags).not.toContain("feature-gates");
  expect(flagsOf("karmada-search", "1.18.2").featureGates).toContain("ListFromCacheSnapshot");
  expect(flagsOf("etcd", "3.6.6").flags).toContain("quota-backend-bytes");
  expect(flagsOf("etcd", "3.6.6").featureGates).toContain("CompactHashCheck");
});
