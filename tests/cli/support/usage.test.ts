import { wrongUsage } from "../../../cli/support/usage.ts";

test.each([
  [{ output: "a.zip" }, '--output: got "a.zip", want a name that ends in .tar.gz or .tgz: it is compressed'],
  [{ output: "/nowhere/a.tgz" }, '--output: got "/nowhere/a.tgz", but there is no directory /nowhere'],
  [{ since: "1d" }, '--since: got "1d", want a length of time such as "30s", "10m" or "720h"'],
  [{ since: "" }, '--since: got "", want a length of time such as "30s", "10m" or "720h"'],
])("%j is wrong usage", (values, message) => expect(wrongUsage(values as never)).toBe(message));

test.each([[{}], [{ output: "a.tar.gz", since: "30m" }]])("%j is right", (values) =>
  expect(wrongUsage(values as never)).toBeUndefined(),
);
