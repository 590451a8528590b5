import { isEncrypted, wholeKey } from "../../../toolchain/pulumi/stack-yaml.ts";

test.each([
  [{ secure: "v1:x" }, true],
  [{ secure: true }, false],
  [{ secure: "v1:x", name: "b" }, false],
  [{ name: "b", secure: "v1:x" }, false],
  [{}, false],
  [["v1:x"], false],
])("whether %j is encrypted: %j", (value, encrypted) => {
  expect(isEncrypted(value)).toBe(encrypted);
});

test.each([
  ["placement", "karmada:placement"],
  ["karmada:placement", "karmada:placement"],
  ["karmada:config:placement", "karmada:placement"],
  ["aws:region", "aws:region"],
])("the key %s is %s", (key, whole) => {
  expect(wholeKey(key, "karmada")).toBe(whole);
});
