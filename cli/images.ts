/** `npm run images`: the images of a stack file's pods, for listing, packing and pushing. */
import { join } from "node:path";
import { storeDirectory } from "../toolchain/index.ts";
import { bundleImages, openImages, pushImages } from "./images/bundle.ts";
import { type Crane, obtainCrane } from "./images/crane.ts";
import { nameOf } from "./images/layout.ts";
import { readImages } from "./images/stack-images.ts";
import { wrongUsage } from "./images/usage.ts";
import { command, WrongUsage } from "./stack/command.ts";
import { stackFile } from "./stack/stack-file.ts";

const root = join(import.meta.dirname, "..");

const help = `usage: npm run images [-- [--stack NAME | --file FILE] [--json]]
       npm run images -- [--stack NAME | --file FILE] --bundle ARCHIVE [--platform OS/ARCH]
       npm run images -- --from ARCHIVE [--to REGISTRY[/PATH]]

Lists the images of the pods of a deployment, in its host cluster and in members: as they are pulled, from the registries of the stack
file and with the digests that are pinned there, one a line; then those of the pods that its addons describe, in objects of whatever
kind, and those that addons[].images names. What an operator starts by itself, or a webhook adds to pods, is in no object:
name it there. Reads the stack file and what its addons are made of; it need not have been brought up.

  --stack NAME        the stack, described by Pulumi.NAME.yaml  [dev]
  --file FILE         a stack file by its path
  --json              for machines: one array, in one line, with the program and its version, or the addon, for each image
  --bundle ARCHIVE    pulls them into ARCHIVE (.tar), for clusters without a connection, and prints its checksum. It is an OCI
                      image layout: \`ctr -n k8s.io images import ARCHIVE\` gives it to a node
  --platform OS/ARCH  what the nodes run on  [linux/amd64]
  --from ARCHIVE      checks every byte of it and lists what it has
  --to REGISTRY/PATH  puts that into a registry of yours, as REGISTRY/PATH/<last part of the name>: what
                      placement.images.kubernetes, .etcd and .karmada are set to, and .node with its name
  --plain-http        registries may be asked without TLS
  --help              print this

Logins are those of \`docker login\` (~/.docker/config.json, DOCKER_CONFIG); SSL_CERT_FILE names an authority of your own; HTTPS_PROXY.
Exit codes: 0 all are listed, or where they were to go; 1 the stack file is wrong, has no images, or some could not be had;
2 wrong usage; 130 interrupted.`;

process.exitCode = await command({
  name: "npm run images",
  help,
  switches: ["json", "plain-http"],
  options: ["file", "bundle", "platform", "from", "to"],
  async run({ stack, flags, values }, signal) {
    const wrong = wrongUsage(values, flags);
    if (wrong !== undefined) throw new WrongUsage(wrong);
    const { file = stackFile(root, stack), bundle, platform = "linux/amd64", from, to } = values;
    const crane = () => obtainCrane({ signal, plainHttp: flags.has("plain-http") });
    if (from !== undefined) await open(from, to, crane);
    else {
      const images = await readImages(file);
      const names = [...new Set(images.map(({ image }) => image))];
      if (bundle !== undefined) {
        const onPulled = (image: string) => console.error(`pulled ${image}`);
        const sha256 = await bundleImages(names, bundle, { crane: await crane(), signal, platform, onPulled });
        console.log(`${sha256}  ${bundle}`);
      } else if (flags.has("json")) console.log(JSON.stringify(images));
      else for (const name of names) console.log(name);
    }
    return 0;
  },
});

/** Prints the contents of an archive, or pushes them to a registry and prints the new names. */
async function open(archive: string, to: string | undefined, crane: () => Promise<Crane>): Promise<void> {
  await openImages(archive, storeDirectory(), async (directory, manifests) => {
    if (to === undefined) for (const manifest of manifests) console.log(nameOf(manifest));
    else await pushImages(directory, manifests, to, { crane: await crane(), onPushed: (image) => console.log(image) });
  });
}
