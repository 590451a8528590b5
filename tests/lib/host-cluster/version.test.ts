import { isOlder } from "../../../lib/host-cluster/version.ts";

test.each([
  ["v1.22.17", true],
  ["v1.22.17-eks-1234", true],
  ["v1.23.0-alpha.1", false],
  ["v1.35.3+k3s1", false],
  ["v2.0.0", false],
])("%s is older than 1.23: %s", (version, older) => {
  expect(isOlder(version, "1.23")).toBe(older);
});
