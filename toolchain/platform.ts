import type { Platform } from "./program.ts";

export const platforms: readonly Platform[] = ["linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"];

/** The platform this process runs on, in Go's words. @throws when no program is published for it */
export function hostPlatform(os: string = process.platform, arch: string = process.arch): Platform {
  return parsePlatform(`${os}/${{ x64: "amd64" }[arch] ?? arch}`);
}

/** @throws when it is not one of `platforms` */
export function parsePlatform(text: string): Platform {
  const found = platforms.find((platform) => platform === text);
  if (!found) throw new Error(`platform: got "${text}", want one of ${platforms.join(", ")}`);
  return found;
}
