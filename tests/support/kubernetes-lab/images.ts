import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  linkSync,
  cpSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { nodeProgram } from "../../../lib/own-bundle.ts";
import { programPath } from "../programs.ts";

export const pauseImage = "lab/pause:1";
/** Everything that is not Karmada's own: its tests name it by what they ask for. */
export const corednsImage = "lab/coredns:1";

/** Those of a Karmada in pods, with nothing switched on. */
export const labImages = [
  "quay.io/coreos/etcd:v3.6.6",
  ...["kube-apiserver", "kube-controller-manager"].map((name) => `registry.k8s.io/${name}:v1.35.3`),
  ...["aggregated-apiserver", "controller-manager", "scheduler", "webhook"].map(
    (name) => `docker.io/karmada/karmada-${name}:v1.18.2`,
  ),
  "docker.io/library/node:24-bookworm-slim",
];

/**
 * Makes one image of our own static programs, known by every name in `images` (`<any>/<program>:v<version>`), and hands it to
 * containerd. No registry is asked.
 */
export async function importImages(directory: string, socket: string, images: readonly string[]): Promise<void> {
  const place = join(directory, "images");
  const bin = join(place, "root/usr/local/bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync("usr/local/bin", join(place, "root/bin")); // where images of Karmada have theirs
  mkdirSync(join(place, "root/etc"));
  mkdirSync(join(place, "root/tmp"));
  chmodSync(join(place, "root/tmp"), 0o1777);
  writeFileSync(join(place, "root/etc/passwd"), "root:x:0:0:root:/:/none\nnonroot:x:65532:65532:nonroot:/:/none\n");
  writeFileSync(join(place, "root/etc/nsswitch.conf"), "hosts: files dns\n");
  writeFileSync(join(bin, "pause"), pauseProgram(), { mode: 0o755 });
  for (const program of new Set(["coredns", ...images.filter((image) => !isLinked(image)).flatMap(programsOf)]))
    put(await programPath(program), join(bin, program.split("@")[0]!));
  for (const program of ["proxy-server", "proxy-agent"])
    symlinkSync(join("usr/local/bin", program), join(place, "root", program)); // where upstream's images have theirs
  for (const [name, program] of linked)
    if (images.some((image) => isOf(image, name))) putLinked(program(), join(place, "root"));
  execFileSync("tar", [
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    "-C",
    join(place, "root"),
    "-cf",
    join(place, "layer.tar"),
    ".",
  ]);
  const config = {
    architecture: "amd64",
    os: "linux",
    config: { Env: ["PATH=/usr/local/bin"], Cmd: ["/usr/local/bin/pause"], WorkingDir: "/" },
    rootfs: { type: "layers", diff_ids: [`sha256:${await sha256(join(place, "layer.tar"))}`] },
  };
  const names = [pauseImage, corednsImage].map((name) => `docker.io/${name}`);
  const manifest = [{ Config: "config.json", RepoTags: [...names, ...images], Layers: ["layer.tar"] }];
  writeFileSync(join(place, "config.json"), JSON.stringify(config));
  writeFileSync(join(place, "manifest.json"), JSON.stringify(manifest));
  execFileSync("tar", ["-C", place, "-cf", join(place, "image.tar"), "manifest.json", "config.json", "layer.tar"]);
  execFileSync("ctr", ["-a", socket, "-n", "k8s.io", "images", "import", join(place, "image.tar")], { stdio: "pipe" });
  rmSync(place, { recursive: true });
}

/** `etcd@3.6.6` of `quay.io/coreos/etcd:v3.6.6`, and what upstream's image has beside it. */
function programsOf(image: string): string[] {
  const [, program, version] = /([^/]+):v([^:]+)$/.exec(image) ?? [];
  if (program === undefined) throw new Error(`${image}: want <any>/<program>:v<version>`);
  return [program, ...(program === "etcd" ? ["etcdutl"] : [])].map((name) => `${name}@${version}`);
}

/** Programs of this machine: the Node.js of the tests, and Debian's curl and haproxy. */
const linked: ReadonlyMap<string, () => string> = new Map([
  ["node", nodeProgram],
  ["curl", () => "/usr/bin/curl"],
  ["haproxy", () => "/usr/sbin/haproxy"],
]);

const isLinked = (image: string): boolean => [...linked.keys()].some((name) => isOf(image, name));

const isOf = (image: string, name: string): boolean => new RegExp(`/${name}:[^/]+$`).test(image);

/** A program with the libraries it is linked to, where it looks for them; no shell and nothing else. */
function putLinked(program: string, root: string): void {
  put(program, join(root, "usr/local/bin", basename(program)));
  const libraries = execFileSync("ldd", [program], { encoding: "utf8" }).match(/\/\S+(?= \(0x)/g) ?? [];
  for (const library of libraries) {
    mkdirSync(dirname(join(root, library)), { recursive: true });
    copyFileSync(library, join(root, library));
  }
}

function put(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    cpSync(from, to);
  }
}

async function sha256(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** A program that only waits, as an ELF file for x86-64: one segment, and the system call pause(2) for ever. */
function pauseProgram(): Buffer {
  const code = Buffer.from([0xb8, 34, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xf7]);
  const [base, headers] = [0x400000, 64 + 56];
  const size = BigInt(headers + code.length);
  const elf = Buffer.alloc(headers);
  elf.write("\x7fELF\x02\x01\x01", "latin1");
  elf.writeUInt16LE(2, 16);
  elf.writeUInt16LE(62, 18);
  elf.writeUInt32LE(1, 20);
  elf.writeBigUInt64LE(BigInt(base + headers), 24);
  elf.writeBigUInt64LE(64n, 32);
  elf.writeUInt16LE(64, 52);
  elf.writeUInt16LE(56, 54);
  elf.writeUInt16LE(1, 56);
  elf.writeUInt32LE(1, 64);
  elf.writeUInt32LE(5, 68);
  elf.writeBigUInt64LE(BigInt(base), 80);
  elf.writeBigUInt64LE(BigInt(base), 88);
  elf.writeBigUInt64LE(size, 96);
  elf.writeBigUInt64LE(size, 104);
  elf.writeBigUInt64LE(0x1000n, 112);
  return Buffer.concat([elf, code]);
}
