/**
 * The version that an image's tag names: `1.18.2` of `docker.io/karmada/karmada-scheduler:v1.18.2`, `3.6.6` of
 * `registry.k8s.io/etcd:3.6.6-0@sha256:...`. Undefined where no tag names one.
 */
export const imageVersion = (image: string): string | undefined =>
  /:v?(\d+\.\d+\.\d+)(?:[-._][\w.-]*)?(?:@|$)/.exec(image)?.[1];
