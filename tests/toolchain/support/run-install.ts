/** Run as a process of its own: `node run-install.ts STORE BASE` installs `demo` 1.2.3 from BASE/demo, whose checksum is at BASE/sum. */
import { installFrom } from "../../../toolchain/install.ts";
import { releaseSource } from "../../../toolchain/sources/release.ts";

const [store = "", base = ""] = process.argv.slice(2);
const demo = {
  name: "demo",
  version: "1.2.3",
  purpose: "stands for a program in tests",
  kind: "executable" as const,
  main: "demo",
  versionArgs: ["version"],
  release: { address: `${base}/demo`, checksums: `${base}/sum` },
};

try {
  const sets = [{ name: "demo-1.2.3", programs: [demo] }];
  const [artifact] = await installFrom([demo], { sets, sources: [releaseSource()], store });
  console.log(artifact?.path);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
