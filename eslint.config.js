import tseslint from "typescript-eslint";

// Imports go one way (CONTRIBUTING.md, "The layers"): a folder may import from those after it in this list, never before it.
const layers = ["index", "stacks", "components", "providers", "lib", "spec"];

const oneWay = layers.slice(1).map((layer, i) => ({
  files: [`${layer}/**/*.ts`],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: [
          {
            group: [...layers.slice(0, i + 1), "cli"].map((above) => `**/../${above}/**`),
            message: `${layer}/ may not import from a layer above it (CONTRIBUTING.md, "The layers")`,
          },
        ],
      },
    ],
  },
}));

/** It stands beside the layers: some use it, and it uses none of them. */
const standsBeside = {
  files: ["toolchain/**/*.ts"],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: [
          {
            group: [...layers, "cli"].map((layer) => `**/../${layer}/**`),
            message: 'toolchain/ may not import from any layer (CONTRIBUTING.md, "The layers")',
          },
        ],
      },
    ],
  },
};

/** These wait at their top level for all that they do: a constant below that is not there yet when it is used. */
const definedBeforeItRuns = {
  files: ["cli/*.ts", "toolchain/main.ts", "toolchain/pulumi/main.ts", "bench/main.ts"],
  rules: { "@typescript-eslint/no-use-before-define": ["error", { functions: false, typedefs: false }] },
};

export default tseslint.config(
  { ignores: ["node_modules/", "coverage/", ".pulumi/", ".karmada/"] },
  ...tseslint.configs.recommended,
  { files: ["**/*.cjs"], rules: { "@typescript-eslint/no-require-imports": "off" } },
  {
    files: ["**/*.ts"],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", ignoreRestSiblings: true }],
      eqeqeq: "error",
    },
  },
  {
    files: ["components/process.ts", "components/processes/**/*.ts", "spec/**/*.ts"],
    rules: {
      "@typescript-eslint/no-restricted-imports": [
        "error",
        { paths: [{ name: "@pulumi/pulumi", message: "pure data here: no Outputs, no resources" }] },
      ],
    },
  },
  ...oneWay,
  standsBeside,
  definedBeforeItRuns,
);
