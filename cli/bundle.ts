/** `npm run bundle`: everything a stack needs, in one archive, for places without a connection. */
import { join } from "node:path";
import { hostPlatform, parsePlatform, type Platform } from "../toolchain/index.ts";
import { listed } from "./bundle/contents.ts";
import { makeBundle } from "./bundle/make.ts";
import { openBundle, useBundle } from "./bundle/open.ts";
import { outcome } from "./bundle/outcome.ts";
import { wrongUsage } from "./bundle/usage.ts";
import { command, WrongUsage } from "./stack/command.ts";
import { stackFile } from "./stack/stack-file.ts";

const root = join(import.meta.dirname, "..");

const help = `usage: npm run bundle -- [--stack NAME | --file FILE] --into ARCHIVE [--platform OS/ARCH] [--nodes OS/ARCH]
       npm run bundle -- --from ARCHIVE [--to REGISTRY[/PATH]]
       npm run bundle -- --from ARCHIVE --list

Packs all that a stack takes beside its own files into one archive (.tar), and uses it where there is no connection: the
programs of the machine that looks after it, with Karmada's CRDs and Pulumi's plugins, the images of its pods and of its
addons', manifests that addons name by URL and charts of repositories, and a list of it all with checksums.

  --stack NAME        the stack, described by Pulumi.NAME.yaml  [dev]
  --file FILE         a stack file by its path
  --into ARCHIVE      makes it, and prints its checksum; an interrupted run goes on with the images that it has
  --platform OS/ARCH  what the machine without a connection is  [what this one is]
  --nodes OS/ARCH     what the nodes run on that pull the images  [linux/amd64]
  --from ARCHIVE      checks every byte of it and puts programs and sources of addons to where the commands look for them
  --to REGISTRY/PATH  puts its images into a registry of yours, as npm run images does
  --list              says only what it has
  --plain-http        registries may be asked without TLS
  --help              print this

Exit codes: 0 it is made, or what this version knows of it is where it was to go; 1 the stack file is wrong, something could not be
had, the archive is damaged, or has nothing for this version and this machine; 2 wrong usage; 130 interrupted.`;

process.exitCode = await command({
  name: "npm run bundle",
  help,
  switches: ["list", "plain-http"],
  options: ["file", "into", "platform", "nodes", "from", "to"],
  async run({ stack, flags, values }, signal) {
    const wrong = wrongUsage(values, flags);
    if (wrong !== undefined) throw new WrongUsage(wrong);
    const plainHttp = flags.has("plain-http");
    const { file = stackFile(root, stack), into, from, to, platform, nodes = "linux/amd64" } = values;
    if (into !== undefined) {
      const target = platform === undefined ? hostPlatform() : wantedPlatform(platform);
      const tell = (message: string) => console.error(message);
      const sha256 = await makeBundle(file, into, { signal, platform: target, nodes, plainHttp, tell });
      console.log(`${sha256}  ${into}`);
      return 0;
    }
    return openBundle(from!, async (directory, contents) => {
      if (flags.has("list")) {
        console.log(listed(contents));
        return 0;
      }
      const onPushed = (image: string) => console.log(image);
      const used = await useBundle(directory, contents, { signal, plainHttp, onPushed, ...(to && { to }) });
      const { lines, code } = outcome(contents, used, { from: from!, platform: hostPlatform() });
      for (const line of lines) console.error(line);
      return code;
    });
  },
});

function wantedPlatform(typed: string): Platform {
  try {
    return parsePlatform(typed);
  } catch (error) {
    throw new WrongUsage((error as Error).message);
  }
}
