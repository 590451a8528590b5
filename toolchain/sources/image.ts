import { join } from "node:path";
import { takeFromLayer } from "../archive/layers.ts";
import { download } from "../net/download.ts";
import { Unreachable } from "../net/http.ts";
import { resolveImage, type ResolvedImage } from "../net/registry.ts";
import { fill, title, type Program } from "../program.ts";
import { pin } from "../store/pins.ts";
import { verifyExecutable } from "../verify/executable.ts";
import { each, Remediable, type Order, type Source } from "./source.ts";

/** The publisher's container images, read layer by layer; no container runtime is needed. */
export function imageSource(): Source {
  return {
    name: "image",
    offers: (_set, program, platform) =>
      program.image && platform.startsWith("linux/")
        ? fill(program.image.reference, program.version, platform)
        : undefined,
    obtain: (order) => {
      if (order.context.offline) throw new Error("not tried offline");
      return each(order, (program) => takeFromImage(program, order));
    },
  };
}

async function takeFromImage(program: Program, order: Order) {
  const { context, platform } = order;
  const address = fill(program.image!.reference, program.version, platform);
  const directory = await context.scratch();
  const executable = join(directory, program.main);
  let pinned: string;
  try {
    context.progress({ subject: title(program), step: `resolve ${address}` });
    const image = await resolveImage(address, platform, context);
    pinned = await pin(context.store, address, image.digest);
    await takeTopmost(image, program, address, executable, order);
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    throw new Remediable(error.message, `make ${error.host} reachable`, { cause: error });
  }
  const verified = await verifyExecutable(program, platform, executable);
  return { directory, address, verified: [`image digest ${pinned}`, ...verified] };
}

/** Layers are asked from the top down, so that most of an image is never downloaded. */
async function takeTopmost(
  image: ResolvedImage,
  program: Program,
  address: string,
  target: string,
  { context }: Order,
) {
  const { member } = program.image!;
  for (const layer of image.layers.toReversed()) {
    const blob = await download(
      {
        address: image.blobAddress(layer),
        sha256: layer.digest.replace("sha256:", ""),
        headers: image.headers,
        subject: title(program),
      },
      context,
    );
    const answer = await takeFromLayer(blob.path, member, target);
    if (answer === "found") return;
    if (answer === "hidden") break;
  }
  throw new Error(`${address} has no file ${member}`);
}
