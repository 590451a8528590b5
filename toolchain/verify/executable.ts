import { basename } from "node:path";
import { hostPlatform } from "../platform.ts";
import type { Platform, Program } from "../program.ts";
import { run } from "../run.ts";
import { readBuildInfo } from "./build-info.ts";

/**
 * Makes sure that an executable is what it should be: made for the platform, with the build tags it needs, and, where
 * it can run here, of the version it prints.
 * @returns what was checked, each in a phrase
 * @throws saying what was found instead
 */
export async function verifyExecutable(program: Program, platform: Platform, path: string): Promise<string[]> {
  const verified: string[] = [];
  const info = await readBuildInfo(path);
  if (info) {
    const { GOOS = "", GOARCH = "" } = info.settings;
    if (GOOS !== "" && `${GOOS}/${GOARCH}` !== platform) {
      throw new Error(`${basename(path)} is made for ${GOOS}/${GOARCH}, want ${platform}`);
    }
    const tags = (info.settings["-tags"] ?? "").split(",");
    const missing = program.requiredTags?.filter((tag) => !tags.includes(tag)) ?? [];
    if (missing.length > 0) throw new Error(`${basename(path)} was built without the tag ${missing.join(", ")}`);
    verified.push(`build information (${info.goVersion}, ${GOOS}/${GOARCH})`);
  }
  if (program.versionArgs && platform === hostPlatform()) {
    await verifyVersion(program, path, program.versionArgs);
    verified.push("version output");
  }
  return verified;
}

async function verifyVersion(program: Program, path: string, args: readonly string[]): Promise<void> {
  const { stdout, stderr, code } = await run(path, args, {
    deadlineSeconds: 30,
    env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
  });
  const output = `${stdout}\n${stderr}`.trim();
  if (code !== 0) throw new Error(`${path} ${args.join(" ")} ended with ${code}: ${lastLines(output)}`);
  if (!saysVersion(output, program.version)) {
    throw new Error(`${path} ${args.join(" ")} says "${lastLines(output)}", want version ${program.version}`);
  }
}

/** Whether a text names exactly this version: `v1.2.3` for 1.2.3, but neither 1.2.30 nor 1.2.3-rc.1. */
function saysVersion(text: string, version: string): boolean {
  const literal = version.replaceAll(/[.+]/g, "\\$&");
  return new RegExp(`(?<![\\w.])v?${literal}(?![\\w+-]|\\.\\w)`).test(text);
}

const lastLines = (text: string): string => text.split("\n").slice(-3).join(" | ").slice(-400);
