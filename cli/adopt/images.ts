import { kubernetes } from "../../spec/placement/kubernetes.ts";

const defaults = kubernetes.shape.images.parse(undefined);

/** Private registries that images come from, and which of our images they may lack. */
export function imagesOf(
  karmada: string,
  apiserver: string,
): { readonly images?: Partial<Record<"karmada" | "kubernetes", string>>; readonly notes: readonly string[] } {
  const own = {
    ...(isOwn(karmada, defaults.karmada) && { karmada: registryOf(karmada) }),
    ...(isOwn(apiserver, defaults.kubernetes) && { kubernetes: registryOf(apiserver) }),
  };
  if (Object.keys(own).length === 0) return { notes: [] };
  const note = `images of etcd and Node.js come from ${defaults.etcd} and ${defaults.node}: say where you have them (placement.images)`;
  return { images: own, notes: [note] };
}

const registryOf = (image: string): string => image.slice(0, Math.max(0, image.lastIndexOf("/")));

const isOwn = (image: string, usual: string): boolean => !["", usual].includes(registryOf(image));
