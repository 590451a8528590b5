import type { ScalarTag, Tags } from "yaml";

/** As Kubernetes reads YAML: version 1.1, where `yes` is true and 0644 octal, but without its times and dates, and with 0o644. */
export const kubernetesYaml = {
  schema: "yaml-1.1",
  merge: true,
  customTags: (tags: Tags): Tags => [...tags.flatMap(asKubernetes), octal],
} as const;

type Tag = Tags[number];

/** Without a digit in front it is no number but a text: `.` is a path, `e2` the name of a machine. */
function asKubernetes(tag: Tag): Tag[] {
  if (typeof tag === "string") return [tag];
  if (tag.tag === "tag:yaml.org,2002:timestamp" || ("format" in tag && tag.format === "TIME")) return [];
  if (tag.tag !== "tag:yaml.org,2002:float" || !("test" in tag) || tag.test === undefined) return [tag];
  return [{ ...tag, test: new RegExp(`^(?=[-+]?\\.?[0-9])${tag.test.source}`) } as ScalarTag];
}

/** As version 1.2 writes it. */
const octal: ScalarTag = {
  tag: "tag:yaml.org,2002:int",
  default: true,
  test: /^[-+]?0o[0-7]+$/,
  resolve: (text) => Number.parseInt(text.replace("0o", ""), 8),
};
