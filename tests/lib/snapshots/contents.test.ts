import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { plainContent, storedContent, toTheEnd } from "../../../lib/snapshots/contents.ts";
import { copySnapshot } from "../../../lib/snapshots/copy.ts";
import { DirectoryTarget } from "../../../lib/snapshots/directory-target.ts";
import { TargetError } from "../../../lib/snapshots/target.ts";
import { sampleManifest } from "./support.ts";

const base = mkdtempSync(join(tmpdir(), "contents-"));
afterAll(() => rmSync(base, { recursive: true }));

/** Of what is stored there, some comes, and then the line is cut. */
class BreaksOff extends DirectoryTarget {
  override async get(): Promise<Readable> {
    const cut = Object.assign(new Error("aborted"), { code: "ECONNRESET" });
    return Readable.from(
      (async function* () {
        yield Buffer.alloc(32);
        throw cut;
      })(),
    );
  }
}

const manifest = sampleManifest(Buffer.alloc(64));
const directory = join(base, "prod");
const broken = new TargetError("unreachable", `file://${directory}: reading ${manifest.file}: it broke off: aborted`);

test("a line that breaks off is not taken for damage", async () => {
  const target = new BreaksOff({ directory });
  for (const content of [storedContent(target, manifest), plainContent(target, manifest, undefined)]) {
    const thrown = await toTheEnd(content).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(TargetError);
    expect(thrown).toMatchObject({ fault: broken.fault, message: broken.message });
  }
});

test("what breaks off while it is copied is the fault of where it comes from", async () => {
  const copies = new DirectoryTarget({ directory: join(base, "copies") });
  await expect(copySnapshot(manifest, new BreaksOff({ directory }), copies)).rejects.toThrow(broken.message);
});
