import { checkVersions } from "../../spec/versions.ts";

test("versions that are not installed together are refused, naming those that are", () => {
  const supported = { "1.18.2": { kubernetes: ["1.35.3"], etcd: ["3.6.6", "3.6.8"] } };
  const chosen = { karmada: "1.18.2", kubernetes: "1.34.3", etcd: "3.6.8" } as const;
  expect(checkVersions(chosen, supported)).toEqual([
    { path: ["versions", "kubernetes"], message: 'got "1.34.3", want "1.35.3" with versions.karmada "1.18.2"' },
  ]);
});
