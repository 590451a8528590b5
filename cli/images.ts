/** `npm run images`: the images that the pods of a stack file have. */
import { join } from "node:path";
import { readImages } from "./images/stack-images.ts";
import { command } from "./stack/command.ts";
import { stackFile } from "./stack/stack-file.ts";

const root = join(import.meta.dirname, "..");

const help = `usage: npm run images [-- [--stack NAME | --file FILE] [--json]]

Lists the images of the pods of a deployment, in its host cluster and in members: as they are pulled, from the registries of the stack
file and with the digests that are pinned there, one a line. Reads the stack file and nothing else; it need not have been
brought up. What addons bring along is not listed.

  --stack NAME   the stack, described by Pulumi.NAME.yaml  [dev]
  --file FILE    a stack file by its path
  --json         for machines: one array, in one line, with the program and its version for each image
  --help         print this

Exit codes: 0 all are listed; 1 the stack file is wrong, or has no images; 2 wrong usage.`;

process.exitCode = await command(
  "npm run images",
  help,
  async ({ stack, flags, values }) => {
    const images = await readImages(values["file"] ?? stackFile(root, stack));
    if (flags.has("json")) console.log(JSON.stringify(images));
    else for (const image of new Set(images.map((each) => each.image))) console.log(image);
    return 0;
  },
  ["json"],
  ["file"],
);
