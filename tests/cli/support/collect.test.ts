import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { collect, type Source } from "../../../cli/support/collect.ts";
import { type Into, Parts } from "../../../cli/support/parts.ts";

let directory: string;
let parts: Parts;
const never = new AbortController().signal;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "collect-"));
  parts = new Parts(directory);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const reading = (path: string, read: (into: Into) => Promise<void>, seconds = 60): Source => ({ path, read, seconds });

test("a source that fails or never ends is noted, and what it and the others have put is there", async () => {
  let late: Into | undefined;
  const began = performance.now();
  await collect(
    [
      reading("a/", async (into) => {
        await into.put("a/1", "password=hunter2");
        throw new Error("host1: token=hunter3");
      }),
      reading(
        "b",
        async (into) => {
          late = into;
          return new Promise(() => {});
        },
        0.3,
      ),
      reading("c", (into) => into.put("c", { a: 1 })),
    ],
    parts,
    never,
  );
  expect(performance.now() - began).toBeLessThan(5000);
  await late!.put("b", "too late");
  late!.lacks("b", new Error("too late"));
  expect(parts.lacking).toEqual([
    { path: "a/", why: "host1: token=[redacted]" },
    { path: "b", why: "no end within 0.3 s" },
  ]);
  expect((await readdir(directory, { recursive: true })).sort()).toEqual(["a", "a/1", "c"]);
  expect(await readFile(join(directory, "a/1"), "utf8")).toBe("password=[redacted]");
  expect(parts.present.toSorted((a, b) => a.path.localeCompare(b.path))).toEqual([
    { path: "a/1", bytes: 19 },
    { path: "c", bytes: 13 },
  ]);
});

test("an interrupt ends it at once, and whoever is late makes nothing anew", async () => {
  const interrupt = new AbortController();
  let late: Into | undefined;
  const ended = collect([reading("a", (into) => new Promise(() => void (late = into)))], parts, interrupt.signal);
  interrupt.abort();
  await expect(ended).rejects.toThrow(/aborted/);
  parts.close();
  await rm(directory, { recursive: true });
  await late!.put("a/1", "late");
  await expect(readdir(directory)).rejects.toThrow("ENOENT");
});
