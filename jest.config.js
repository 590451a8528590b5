// One project per tier (CONTRIBUTING.md, "Tests"); `npm test -- --selectProjects unit` runs one of them.
const transform = {
  "^.+\\.ts$": [
    "@swc/jest",
    {
      jsc: { target: "es2024", parser: { syntax: "typescript" }, experimental: { keepImportAttributes: true } },
      module: { type: "es6" },
    },
  ],
};
const tier = (displayName, testMatch) => ({
  displayName,
  testMatch,
  transform,
  extensionsToTreatAsEsm: [".ts"],
  testEnvironment: "node",
});

export default {
  testTimeout: 60_000,
  projects: [
    tier("unit", ["<rootDir>/tests/{spec,lib,stacks,components,providers,toolchain,docs,cli,bench}/**/*.test.ts"]),
    tier("conformance", ["<rootDir>/tests/{plugins,dynamic}/**/*.test.ts"]),
    tier("e2e", ["<rootDir>/tests/e2e/**/*.test.ts"]),
  ],
};
