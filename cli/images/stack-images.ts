import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import {
  type Imaged,
  type ImagedEtcd,
  imagesOf,
  imagesOfEtcd,
  type ProgramImage,
} from "../../components/placement/kubernetes-images.ts";
import { resolveComponents } from "../../spec/control-plane/control-plane.ts";
import { sections } from "../../spec/deployment.ts";
import { imagesOfPlane, resolveAgent } from "../../spec/members/agent.ts";
import { allMembers } from "../../spec/members/groups.ts";
import { chosenMode } from "../../spec/members/sync-mode.ts";
import { checkImages } from "../../spec/placement/kubernetes-check.ts";
import { pathText, type Problem } from "../../spec/problems.ts";
import { parseSections } from "../../spec/sections.ts";
import { kubeconfigDirectories } from "../../stacks/named-files.ts";
import { isEncrypted } from "../../toolchain/pulumi/stack-yaml.ts";
import { readConfigOf } from "../stack/stack-file.ts";
import { type AddonImage, imagesOfAddons } from "./addon-images.ts";

/** @throws when there is no such file, it is wrong, or nothing of it has an image */
export async function readImages(path: string): Promise<(ProgramImage | AddonImage)[]> {
  const { images, none } = await imagesIn(await readConfig(path), path);
  if (none !== undefined) throw new Error(`${path}: ${none}`);
  return images;
}

/** The values of a stack file at a path. @throws when there is no such file */
export async function readConfig(path: string): Promise<Record<string, unknown>> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    const what = { ENOENT: "there is no such file,", EISDIR: "this is a directory, want a stack file:" }[
      error.code ?? ""
    ];
    throw what === undefined ? error : new Error(`${path}: ${what} name one with --stack or --file`);
  });
  return readConfigOf(text, path);
}

/** The images of a stack file, or why there are none. */
export interface StackImages {
  readonly images: (ProgramImage | AddonImage)[];
  readonly none?: string;
}

/**
 * The images of a stack file: those of its programs, then those of addons, each once. Encrypted values stay encrypted:
 * no image depends on them.
 *
 * @param path for messages, and the base of relative paths in it
 * @throws when it is wrong
 */
export async function imagesIn(config: Readonly<Record<string, unknown>>, path: string): Promise<StackImages> {
  refuseHidden(config, path);
  const typed = Object.fromEntries(Object.keys(imaged).map((key) => [key, withoutSecrets(config[`karmada:${key}`])]));
  const directory = dirname(resolve(path));
  const all = allMembers(typed, kubeconfigDirectories(typed, directory));
  const { parsed, problems } = parseSections(imaged, { ...typed, members: all.members });
  const { program, versions, placement, pki, etcd, controlPlane, members, teams = [], snapshots, addons = [] } = parsed;
  if (program === "members")
    return { images: [], none: "its agents have the image of karmada-agent that the stack of the deployment has" };
  if (program !== undefined && program !== "karmada" && program !== "etcd")
    return { images: [], none: `a stack of the program "${program}" has no images` };
  const inMembers = members?.some(({ agent }) => agent?.kind === "inMember") ?? false;
  const brought = await imagesOfAddons(addons, typed, directory);
  problems.push(...brought.problems);
  const has = placement?.kind === "kubernetes" || inMembers || brought.images.length > 0;
  if (placement !== undefined && !has && problems.length === 0)
    return {
      images: [],
      none: `placement.kind "${placement.kind}" has no images, want "kubernetes"${program === "etcd" ? "" : ', an agent with kind "inMember", or addons with pods'}`,
    };
  if (placement?.kind === "kubernetes") problems.push(...checkImages(placement.images));
  if (problems.length > 0 || !versions || !placement || !pki || !etcd || !controlPlane || !members || !snapshots)
    throw new Error(`${path}: it is wrong\n${problems.map((each) => line(all.place(each))).join("\n")}`);
  if (program === "etcd" && etcd.kind === "managed" && placement.kind === "kubernetes")
    return { images: imagesOfEtcd({ versions, etcd, snapshots, images: placement.images } as ImagedEtcd) };
  const deployment = {
    versions,
    etcd: etcd.kind === "external" ? { ...etcd, endpoints: etcd.endpoints ?? [] } : etcd,
    pki: { ...pki, signRequests: false },
    controlPlane: resolveComponents(controlPlane, placement, versions),
    snapshots,
    // The stack file does not list their members; the same programs run for each.
    teamMembers: teams.map((name) => ({ name, estimator: "" })),
    members: members.map((member) => ({
      ...member,
      ...chosenMode(member, controlPlane.networks),
      agent: resolveAgent(member.agent, imagesOfPlane(placement)),
    })),
  } as Imaged;
  const own = imagesOf({ ...deployment, images: placement.kind === "kubernetes" ? placement.images : undefined });
  const others = brought.images.filter((each) => own.every(({ image }) => image !== each.image));
  return { images: [...own, ...others] };
}

/** The keys that determine images. */
const imaged = {
  program: sections.program,
  versions: sections.versions,
  placement: sections.placement,
  pki: sections.pki,
  etcd: sections.etcd,
  controlPlane: sections.controlPlane,
  memberGroups: sections.memberGroups,
  members: sections.members,
  teams: sections.teams,
  snapshots: sections.snapshots,
  addons: sections.addons,
};

/** @throws where an encrypted value is all of a section, so that nothing is known of its images */
function refuseHidden(config: Readonly<Record<string, unknown>>, path: string): void {
  const hidden = Object.keys(imaged).filter((key) => isEncrypted(config[`karmada:${key}`] ?? {}));
  if (hidden.length === 0) return;
  const problem = "encrypted as a whole, which hides what has images; encrypt only what is secret in it";
  throw new Error(
    `${path}: it cannot be read\n${hidden.map((key) => line({ path: [key], message: problem })).join("\n")}`,
  );
}

/** Replaces what pulumi has encrypted by a placeholder; where certificates are wanted, it has to look like one. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  if (isEncrypted(value)) return "-----BEGIN CERTIFICATE-----";
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutSecrets(each)]));
}

const line = ({ path, message }: Problem): string => `  ${pathText(path)}: ${message}`;
