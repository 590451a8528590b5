// Loaded before the commands: they are TypeScript, of which an older Node.js would only say that it knows no such file
// extension, and without their packages they would only say that one cannot be found.
import { existsSync } from "node:fs";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `Node.js ${process.versions.node} is too old, want 22.18 or later: run \`npm ci\`, which brings Node.js 24 for this ` +
      "checkout (and must be allowed to run the install script of the package `node`)",
  );
  process.exit(1);
}

if (!existsSync(new URL("../node_modules/@pulumi/pulumi", import.meta.url))) {
  console.error("The npm packages of this checkout are not installed: run `npm ci`");
  process.exit(1);
}
