import { versionedArgs } from "../../../components/processes/etcd-versions.ts";
import { flagsOf } from "../../../spec/control-plane/program-flags.ts";
import { supportedVersions } from "../../../spec/versions.ts";

test.each(supportedVersions["1.18.2"].etcd)("etcd %s knows the flags that depend on its version", (etcd) => {
  const { flags, featureGates } = flagsOf("etcd", etcd);
  for (const argument of versionedArgs(etcd, "5s")) {
    const [, flag, value] = /^--([^=]+)=(.+)$/.exec(argument)!;
    expect(flags).toContain(flag);
    if (flag === "feature-gates") expect(featureGates).toContain(value!.split("=")[0]);
  }
});
