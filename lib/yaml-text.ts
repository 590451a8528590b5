import { stringify, type ToStringOptions } from "yaml";

/**
 * A value as YAML that every reader understands alike: strings that YAML 1.1, which Kubernetes, kubectl and pulumi
 * read, takes for something else are quoted. There a member called `no` would be false, and `2026-01-01` a time.
 */
export const yamlText = (value: unknown, options: ToStringOptions = {}): string =>
  stringify(value, { compat: "yaml-1.1", ...options });
