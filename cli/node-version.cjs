// Loaded before the commands and, by Pulumi.yaml, before the program: both are TypeScript, of which an older Node.js would
// only say that it knows no such file extension, and without their packages they would only say that one cannot be found.
// CommonJS, and nothing that only a later Node.js knows: `--require` is older than `--import`.
const { existsSync } = require("node:fs");
const { join } = require("node:path");

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  // A plain `pulumi` runs the first Node.js on PATH, npm's scripts the one of this checkout.
  const remedy = __dirname.includes(":")
    ? "the one of this checkout is not found, as no PATH can name a directory with a `:`: move the checkout, or put a later " +
      "Node.js first on PATH"
    : process.env.PULUMI_CONFIG
      ? "run `npm run pulumi -- <arguments>` instead of `pulumi <arguments>`, after `npm ci`, which brings Node.js 24 for " +
        "this checkout; or put a later Node.js first on PATH"
      : "run `npm ci`, which brings Node.js 24 for this checkout (and must be allowed to run the install script of the " +
        "package `node`)";
  console.error(`Node.js ${process.versions.node} is too old, want 22.18 or later: ${remedy}`);
  process.exit(1);
}

if (!existsSync(join(__dirname, "../node_modules/@pulumi/pulumi"))) {
  console.error("The npm packages of this checkout are not installed: run `npm ci`");
  process.exit(1);
}

// As a pipeline may set it. Node.js takes it at its word, and every path below the home would start where the command does.
if (process.env.HOME === "") delete process.env.HOME;
