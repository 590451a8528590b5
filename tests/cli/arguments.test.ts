import { join } from "node:path";
import { execa } from "execa";
import { stackArguments } from "../../cli/stack/arguments.ts";

test("the stack is dev unless another is named", () => {
  expect(stackArguments([])).toEqual({ stack: "dev", help: false, flags: new Set(), values: {}, pulumi: [] });
  expect(stackArguments(["--stack", "test"])).toEqual({
    stack: "test",
    help: false,
    flags: new Set(),
    values: {},
    pulumi: [],
  });
});

test("what follows -- is for pulumi", () => {
  expect(stackArguments(["--stack", "test", "--", "--diff", "--", "-x"])).toEqual({
    stack: "test",
    help: false,
    flags: new Set(),
    values: {},
    pulumi: ["--diff", "--", "-x"],
  });
});

test("a command's own switches are told by name, and are unknown to the others", () => {
  expect(stackArguments(["--json"], ["json", "watch"]).flags).toEqual(new Set(["json"]));
  expect(() => stackArguments(["--json"])).toThrow(/--json/);
});

test("a command's own options have a value", () => {
  const { flags, values } = stackArguments(["--file", "a.yaml", "--json"], ["json"], ["file"]);
  expect([flags, values]).toEqual([new Set(["json"]), { file: "a.yaml" }]);
  expect(() => stackArguments(["--file"], [], ["file"])).toThrow(/--file/);
});

test.each([["--stcak", "dev"], ["dev"], ["--stack"]])("%s is refused", (...argv) => {
  expect(() => stackArguments(argv)).toThrow();
});

test.each(["", " ", "a b", "../x", "a/", "a\nb"])("a stack cannot be called %j", (stack) => {
  expect(() => stackArguments(["--stack", stack])).toThrow(
    `--stack: got ${stack === "a\nb" ? "a text of 2 lines" : JSON.stringify(stack)}, want the name of a stack`,
  );
});

test("the stack dev is not meant where npm has taken --stack for itself", () => {
  const env = { npm_config_stack: "test", npm_lifecycle_event: "destroy" };
  expect(() => stackArguments([], ["yes"], [], env)).toThrow(
    "npm took --stack for itself (npm_config_stack): options come after a lone --, as in npm run destroy -- --stack test",
  );
  expect(() => stackArguments(["--", "--stack", "test"], [], [], env)).toThrow(/^npm took --stack/);
  expect(stackArguments(["-s", "prod"], [], [], env).stack).toBe("prod");
});

test("a stack of another organization is named with it", () => {
  expect(stackArguments(["-s", "acme/karmada/prod_1.x"]).stack).toBe("acme/karmada/prod_1.x");
});

test.each(["start", "destroy"])("%s takes --yes, which pulumi's users are used to", async (name) => {
  const { exitCode, stdout } = await execa("node", [`cli/${name}.ts`, "--yes", "--help"], {
    cwd: join(import.meta.dirname, "../.."),
    preferLocal: true,
  });
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining("--yes")]);
});
