import { rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { extract, extractOptional, isArchive } from "../archive/extract.ts";
import { publishedSha256 } from "../net/checksums.ts";
import { download } from "../net/download.ts";
import { Unreachable } from "../net/http.ts";
import { fill, title, type Platform, type Program, type Release } from "../program.ts";
import { copyEntries, copyExecutable } from "../store/copy.ts";
import { pin } from "../store/pins.ts";
import { verifyExecutable } from "../verify/executable.ts";
import { each, Remediable, type Context, type Order, type Source } from "./source.ts";

/** The publisher's own downloads, checked against the publisher's own checksum file. */
export function releaseSource(): Source {
  return {
    name: "release",
    offers: (_set, program, platform) => {
      const { release } = program;
      if (!release || !(release.platforms ?? program.platforms ?? [platform]).includes(platform)) return undefined;
      return filled(program, release, platform).address;
    },
    obtain: (order) => {
      if (order.context.offline) throw new Error("not tried offline");
      // Programs in one archive wait for one download.
      const downloads = new Map<string, Promise<Fetched>>();
      return each(order, async (program) => {
        const release = filled(program, program.release!, order.platform);
        const fetched = downloads.get(release.address) ?? fetch(release, program, order.context);
        downloads.set(release.address, fetched);
        return unpack(program, release, await fetched, order);
      });
    },
  };
}

interface Fetched {
  readonly path: string;
  readonly verified: readonly string[];
}

async function fetch(release: Release, program: Program, context: Context): Promise<Fetched> {
  const file = basename(new URL(release.address).pathname);
  try {
    const { checksums } = release;
    const sha256 = checksums && publishedSha256(await context.http.text(checksums, context), file, checksums);
    if (checksums && !sha256) throw new Error(`${checksums}: has no checksum of ${file}`);
    const found = await download({ address: release.address, sha256, subject: title(program) }, context);
    const pinned = await pin(context.store, release.address, found.sha256);
    const verified = sha256 ? ["publisher's checksum"] : [];
    return { path: found.path, verified: [...verified, `download checksum ${pinned}`] };
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    throw new Remediable(error.message, `make ${error.host} reachable`, { cause: error });
  }
}

async function unpack(program: Program, release: Release, fetched: Fetched, { platform, context }: Order) {
  const { address } = release;
  const directory = await context.scratch();
  if (!isArchive(new URL(address).pathname)) {
    await copyExecutable(fetched.path, join(directory, program.main));
  } else {
    const unpacked = await context.scratch();
    const member = release.member ?? program.main;
    await extract(fetched.path, unpacked, [member]).catch((cause: Error) => {
      throw new Error(`${address}: ${cause.message}`, { cause });
    });
    if (program.kind === "files") {
      await copyEntries(join(unpacked, member), join(directory, program.main), program.entries ?? []);
      return { directory, address, verified: fetched.verified };
    }
    await rename(join(unpacked, member), join(directory, program.main));
    const companions = (release.companions ?? []).map((name) => join(dirname(member), name));
    for (const companion of await extractOptional(fetched.path, unpacked, companions)) {
      await rename(companion, join(directory, basename(companion)));
    }
  }
  const verified = await verifyExecutable(program, platform, join(directory, program.main));
  return { directory, address, verified: [...fetched.verified, ...verified] };
}

function filled(program: Program, release: Release, platform: Platform): Release {
  const text = (value: string) => fill(value, program.version, platform, release.words);
  return {
    ...release,
    address: text(release.address),
    ...(release.checksums === undefined ? {} : { checksums: text(release.checksums) }),
    ...(release.member === undefined ? {} : { member: text(release.member) }),
  };
}
