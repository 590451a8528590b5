import { refuseTakenByNpm } from "../../toolchain/npm-options.ts";

const options = {
  stack: { type: "string", short: "s" },
  "plain-http": { type: "boolean" },
  "dry-run": { type: "boolean" },
  json: { type: "boolean" },
  offline: { type: "boolean" },
  yes: { type: "boolean" },
} as const;
const refusal = (args: readonly string[], env: NodeJS.ProcessEnv) => () =>
  refuseTakenByNpm(args, options, { npm_lifecycle_event: "toolchain", ...env });

test("all that npm took is named, and how it is given", () => {
  expect(refusal([], { npm_config_stack: "test", npm_config_plain_http: "true" })).toThrow(
    "npm took --stack and --plain-http for itself (npm_config_stack, npm_config_plain_http): options come after a lone --, as in npm run toolchain -- --stack test --plain-http",
  );
  expect(refusal([], { npm_config_stack: "test", npm_lifecycle_event: "start" })).toThrow(
    / npm start -- --stack test$/,
  );
});

test.each(["true", "", "a b", "a\n\nb"])("a value that npm has as %j is not made up", (value) => {
  expect(refusal(["test"], { npm_config_stack: value })).toThrow(/ -- --stack \.\.\.$/);
});

test.each([[["--stack", "prod"]], [["-s", "prod"]], [["up", "--stack=prod", "--diff"]]])(
  "what is among the arguments, as in %j, counts",
  (args) => {
    expect(refusal(args, { npm_config_stack: "test" })).not.toThrow();
  },
);

test("what follows a second -- is for another command", () => {
  expect(refusal(["--", "--stack", "prod"], { npm_config_stack: "test" })).toThrow(/^npm took --stack/);
});

test("options of other commands, and of npm's own configuration, do not matter", () => {
  const known = { npm_config_json: "true", npm_config_offline: "true", npm_config_yes: "true" };
  expect(refusal([], { npm_config_members: "10", npm_config_loglevel: "silent", ...known })).not.toThrow();
});

test("a dry run is never made a real one, and is not meant by its negation", () => {
  expect(refusal([], { npm_config_dry_run: "true" })).toThrow(/ npm run toolchain -- --dry-run$/);
  expect(refusal([], { npm_config_dry_run: "" })).not.toThrow();
});
