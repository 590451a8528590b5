import { stackArguments } from "../../cli/stack/arguments.ts";

test("the stack is dev unless another is named", () => {
  expect(stackArguments([])).toEqual({ stack: "dev", help: false, pulumi: [] });
  expect(stackArguments(["--stack", "test"])).toEqual({ stack: "test", help: false, pulumi: [] });
});

test("what follows -- is for pulumi", () => {
  expect(stackArguments(["--stack", "test", "--", "--diff", "--", "-x"])).toEqual({
    stack: "test",
    help: false,
    pulumi: ["--diff", "--", "-x"],
  });
});

test.each([["--stcak", "dev"], ["dev"], ["--stack"]])("%s is refused", (...argv) => {
  expect(() => stackArguments(argv)).toThrow();
});
