import { stackArguments } from "../../cli/stack/arguments.ts";

test("the stack is dev unless another is named", () => {
  expect(stackArguments([])).toEqual({ stack: "dev", help: false, flags: new Set(), pulumi: [] });
  expect(stackArguments(["--stack", "test"])).toEqual({ stack: "test", help: false, flags: new Set(), pulumi: [] });
});

test("what follows -- is for pulumi", () => {
  expect(stackArguments(["--stack", "test", "--", "--diff", "--", "-x"])).toEqual({
    stack: "test",
    help: false,
    flags: new Set(),
    pulumi: ["--diff", "--", "-x"],
  });
});

test("a command's own switches are told by name, and are unknown to the others", () => {
  expect(stackArguments(["--json"], ["json", "watch"]).flags).toEqual(new Set(["json"]));
  expect(() => stackArguments(["--json"])).toThrow(/--json/);
});

test.each([["--stcak", "dev"], ["dev"], ["--stack"]])("%s is refused", (...argv) => {
  expect(() => stackArguments(argv)).toThrow();
});
