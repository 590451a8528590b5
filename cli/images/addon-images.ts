import type { TypedAddon } from "../../spec/addons/addons.ts";
import { imagesIn, pulled } from "../../spec/addons/object-images.ts";
import { readSource } from "../../spec/addons/sources.ts";
import type { Problem } from "../../spec/problems.ts";
import { fetchSources, withAddons } from "../../stacks/addon-sources.ts";

/** An image and the addon that uses it. */
export interface AddonImage {
  readonly addon: string;
  readonly image: string;
}

/**
 * The images of the pods that addons describe, and those they list in addition. It fetches the same sources as an `up`.
 *
 * @param typed the keys of the stack file
 * @param directory of the stack file
 */
export async function imagesOfAddons(
  addons: readonly TypedAddon[],
  typed: Readonly<Record<string, unknown>>,
  directory: string,
): Promise<{ images: AddonImage[]; problems: Problem[] }> {
  if (addons.length === 0) return { images: [], problems: [] };
  const fetched = await fetchSources(typed, directory, (message) => console.error(message));
  const context = withAddons({ stack: "images", directory }, typed, fetched);
  const sources = addons.map((addon, i) => readSource(addon, i, context));
  const images = addons.flatMap(({ name, images }, i) => {
    const all = [...sources[i]!.objects.flatMap(({ object }) => imagesIn(object)), ...images.map(pulled)];
    return [...new Set(all)].map((image) => ({ addon: name, image }));
  });
  return { images, problems: sources.flatMap(({ problems }) => problems) };
}
