import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  existsSync,
  linkSync,
  cpSync,
  mkdirSync,
  realpathSync,
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

/** Hands an image to containerd that runs its one program by itself, as upstream's does. @param user who it runs as, where upstream's says */
export async function importAlone(directory: string, socket: string, image: string, user?: string): Promise<void> {
  const [program] = programsOf(image);
  const entrypoint = [`/bin/${program!.split("@")[0]}`];
  const archive = await imageArchive(join(directory, "images"), [image], entrypoint, user);
  execFileSync("ctr", ["-a", socket, "-n", "k8s.io", "images", "import", archive], { stdio: "pipe" });
  rmSync(dirname(archive), { recursive: true });
}

/** Hands one image that is known by every name in `images`, and what every lab needs, to containerd. No registry is asked. */
export async function importImages(directory: string, socket: string, images: readonly string[]): Promise<void> {
  const own = [pauseImage, corednsImage].map((name) => `docker.io/${name}`);
  const archive = await imageArchive(join(directory, "images"), [...own, ...images]);
  execFileSync("ctr", ["-a", socket, "-n", "k8s.io", "images", "import", archive], { stdio: "pipe" });
  rmSync(dirname(archive), { recursive: true });
}

/**
 * Makes one image of our own static programs, known by every name in `images` (`<any>/<program>:v<version>`).
 *
 * @param place a directory for it, which is not there yet
 * @param entrypoint what a container runs that is only told arguments
 * @param user who it runs as where a pod does not say. @default root
 * @returns its path, as `docker save` would write it
 */
export async function imageArchive(
  place: string,
  images: readonly string[],
  entrypoint: readonly string[] = [],
  user?: string,
): Promise<string> {
  const bin = join(place, "root/usr/local/bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync("usr/local/bin", join(place, "root/bin")); // where images of Karmada have theirs
  mkdirSync(join(place, "root/etc"));
  mkdirSync(join(place, "root/tmp"));
  chmodSync(join(place, "root/tmp"), 0o1777);
  writeFileSync(join(place, "root/etc/passwd"), "root:x:0:0:root:/:/none\nnonroot:x:65532:65532:nonroot:/:/none\n");
  writeFileSync(join(place, "root/etc/nsswitch.conf"), "hosts: files dns\n");
  writeFileSync(join(bin, "pause"), pauseProgram(), { mode: 0o755 });
  for (const program of new Set(images.flatMap(programsOf)))
    put(await programPath(program), join(bin, program.split("@")[0]!));
  for (const program of ["proxy-server", "proxy-agent"])
    symlinkSync(join("usr/local/bin", program), join(place, "root", program)); // where upstream's images have theirs
  for (const [name, programs] of linked)
    if (images.some((image) => isOf(image, name)))
      for (const program of programs()) putLinked(program, join(place, "root"));
  const owners = ["--owner=0", "--group=0", "--numeric-owner"];
  execFileSync("tar", [...owners, "-C", join(place, "root"), "-cf", join(place, "layer.tar"), "."]);
  rmSync(join(place, "root"), { recursive: true });
  const config = {
    architecture: "amd64",
    os: "linux",
    config: {
      Env: ["PATH=/usr/local/bin"],
      ...(entrypoint.length > 0 ? { Entrypoint: entrypoint } : { Cmd: ["/usr/local/bin/pause"] }),
      ...(user !== undefined && { User: user }),
      WorkingDir: "/",
    },
    rootfs: { type: "layers", diff_ids: [`sha256:${await sha256(join(place, "layer.tar"))}`] },
  };
  const manifest = [{ Config: "config.json", RepoTags: images, Layers: ["layer.tar"] }];
  writeFileSync(join(place, "config.json"), JSON.stringify(config));
  writeFileSync(join(place, "manifest.json"), JSON.stringify(manifest));
  const archive = join(place, "image.tar");
  execFileSync("tar", ["-C", place, "-cf", archive, "manifest.json", "config.json", "layer.tar"]);
  rmSync(join(place, "layer.tar"));
  return archive;
}

/** `etcd@3.6.6` of `quay.io/coreos/etcd:v3.6.6` or `registry.k8s.io/etcd:3.6.6-0`, and what upstream's image has beside it. */
function programsOf(image: string): string[] {
  if (image.endsWith(corednsImage)) return ["coredns"];
  if (isOf(image, "pilot")) return ["istiod"];
  if (image.endsWith(pauseImage) || isLinked(image)) return [];
  const [, program = "", version] = /([^/]+):v?(\d+\.\d+\.\d+)(?:-\d+)?$/.exec(image) ?? [];
  if (version === undefined) throw new Error(`${image}: want <any>/<program>:v<version>`);
  return [program, ...(beside[program] ?? [])].map((name) => `${name}@${version}`);
}

const beside: Readonly<Record<string, readonly string[]>> = { etcd: ["etcdutl"], cfssl: ["cfssljson"] };

/** A shell with what scripts in images of kubectl and cfssl call. */
const shell = (): string[] =>
  ["sh", "bash", "base64", "cp", "curl", "mkdir", "openssl", "sed", "sleep", "tr"].map((name) => `/usr/bin/${name}`);

/** Programs of this machine, by the images they are in: the Node.js of the tests, and Debian's. */
const linked: ReadonlyMap<string, () => string[]> = new Map([
  ["node", () => [nodeProgram()]],
  ["curl", () => ["/usr/bin/curl"]],
  ["haproxy", () => ["/usr/sbin/haproxy"]],
  ["kubectl", shell],
  ["cfssl", shell],
]);

/** Whether an image is nothing but a program of this machine. */
const isLinked = (image: string): boolean => ["node", "curl", "haproxy"].some((name) => isOf(image, name));

const isOf = (image: string, name: string): boolean => new RegExp(`/${name}:[^/]+$`).test(image);

/** A program with the libraries it is linked to, and the settings it reads, where it looks for them. */
function putLinked(program: string, root: string): void {
  const place = join(root, "usr/local/bin", basename(program));
  if (!existsSync(place)) put(realpathSync(program), place);
  const libraries = execFileSync("ldd", [program], { encoding: "utf8" }).match(/\/\S+(?= \(0x)/g) ?? [];
  const settings = basename(program) === "openssl" ? ["/usr/lib/ssl/openssl.cnf"] : [];
  for (const file of [...libraries, ...settings]) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    copyFileSync(file, join(root, file));
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
