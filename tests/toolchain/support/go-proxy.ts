import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";

/** Writes a module, as a Go module proxy serves it, into a directory for `GOPROXY=file://...`. */
export async function publishModule(
  proxy: string,
  module: string,
  version: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const folder = join(proxy, module, "@v");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "list"), `${version}\n`);
  await writeFile(join(folder, `${version}.info`), JSON.stringify({ Version: version, Time: "2026-01-01T00:00:00Z" }));
  await writeFile(join(folder, `${version}.mod`), files["go.mod"] ?? `module ${module}\n`);
  const entries = Object.entries(files).map(([name, text]) => [`${module}@${version}/${name}`, text] as const);
  await writeFile(join(folder, `${version}.zip`), storedZip(entries));
}

/** A zip archive without compression. https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT */
function storedZip(entries: readonly (readonly [name: string, text: string])[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of entries) {
    const data = Buffer.from(text);
    const path = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, path, data]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    centrals.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), common, tail, path]));
    locals.push(local);
    offset += local.length;
  }
  const size = centrals.reduce((sum, one) => sum + one.length, 0);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...centrals, end]);
}
