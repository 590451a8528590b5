import { stringify, type ToStringOptions } from "yaml";

/**
 * A value as YAML of which every reader makes the same: what is no text to one that reads version 1.1, as Kubernetes, kubectl and
 * pulumi do, is in quotes. There a member that is called `no` would be false, and `2026-01-01` a time.
 */
export const yamlText = (value: unknown, options: ToStringOptions = {}): string =>
  stringify(value, { compat: "yaml-1.1", ...options });
