import type { Artifact, Platform, ProgramRef } from "../../toolchain/index.ts";
import { leftOutText } from "../../toolchain/report.ts";
import type { Contents } from "./contents.ts";

/** What of a bundle was put somewhere. */
export interface Used {
  readonly artifacts: readonly Pick<Artifact, "platform">[];
  /** Programs that are not in this version's list. */
  readonly leftOut: readonly ProgramRef[];
  /** Whether its images were pushed. */
  readonly pushed: boolean;
}

/**
 * What came of using a bundle, in lines. That programs are left out is no failure, as this version runs none of them; that
 * nothing was of use on this machine is one.
 */
export function outcome(
  { programs, images, sources }: Contents,
  { artifacts, leftOut, pushed }: Used,
  { from, platform }: { readonly from: string; readonly platform: Platform },
): { readonly lines: string[]; readonly code: 0 | 1 } {
  const others = [...new Set(programs.map((each) => each.platform))].filter((each) => each !== "any");
  const isElsewhere = others.length > 0 && !others.includes(platform);
  const isOfUse = sources.length > 0 || pushed || artifacts.some((each) => each.platform === platform);
  return {
    lines: [
      ...(leftOut.length > 0 ? [`npm run bundle: ${leftOutText(leftOut)}`] : []),
      ...(isElsewhere
        ? [`npm run bundle: no program in it is for ${platform}, which this machine is, but for ${others.join(", ")}`]
        : []),
      `${artifacts.length} programs and ${sources.length} sources of addons are there`,
      ...(images.length > 0 && !pushed
        ? [
            `its ${images.length} images are in it: --to puts them into a registry; for a node without one tar -xf ${from} images.tar`,
          ]
        : []),
      ...(isOfUse
        ? []
        : [
            `npm run bundle: nothing in ${from} is of use here: make one with this version, by --into and --platform ${platform}`,
          ]),
    ],
    code: isOfUse ? 0 : 1,
  };
}
