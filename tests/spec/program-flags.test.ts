import { flagsOf, programNames } from "../../spec/program-flags.ts";
import { supportedVersions } from "../../spec/versions.ts";

const combinations = Object.entries(supportedVersions).flatMap(([karmada, others]) =>
  others.kubernetes.flatMap((kubernetes) => others.etcd.map((etcd) => ({ karmada, kubernetes, etcd }))),
);

test.each(combinations)("every program's flags are known for %j", (versions) => {
  for (const program of Object.values(programNames).flat()) {
    const { flags, version } = flagsOf(program, versions as Parameters<typeof flagsOf>[1]);
    expect(flags.size).toBeGreaterThan(30);
    expect(flags).not.toContain("help");
    expect(Object.values(versions)).toContain(version);
  }
});

test("the flags are those the programs print", () => {
  const of = (program: Parameters<typeof flagsOf>[0], karmada: "1.17.1" | "1.18.2" = "1.18.2") =>
    flagsOf(program, { karmada, kubernetes: "1.35.3", etcd: "3.6.6" });
  expect(of("karmada-scheduler").featureGates).toContain("SchedulingOvercommitProtection");
  expect(of("karmada-scheduler", "1.17.1").featureGates).not.toContain("SchedulingOvercommitProtection");
  expect(of("karmada-metrics-adapter").flags).not.toContain("feature-gates");
  expect(of("karmada-search").featureGates).toContain("ListFromCacheSnapshot");
  expect(of("etcd").flags).toContain("quota-backend-bytes");
  expect(of("etcd").featureGates).toContain("CompactHashCheck");
});
