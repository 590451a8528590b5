import { anchorOf } from "./anchor.ts";
import type { FieldRow } from "./field-row.ts";
import { fieldSections, type Part, type Section } from "./fields.ts";

/** Every field of the stack file as Markdown: a list of contents, then a heading and tables for each top-level key. */
export function fieldTables(): string {
  const sections = fieldSections();
  return [sections.map(contentsOf).join("\n"), ...sections.flatMap(sectionText)].join("\n\n");
}

function contentsOf({ key, parts: [itself, ...kinds] }: Section): string {
  const links = kinds.map(({ title }) => `[\`${lastOf(title)}\`](${anchorOf(title)})`);
  const by = links.length > 0 ? ` By kind: ${links.join(", ")}.` : "";
  return `- [\`${key}\`](${anchorOf(key)}): ${firstSentence(itself!.meaning)}${by}`;
}

const lastOf = (title: string): string => /[^ .]+$/.exec(title)![0];

const firstSentence = (text: string): string => /^.*?\.(?= [A-Z]|$)/.exec(text)![0];

const sectionText = ({ key, parts: [itself, ...kinds] }: Section): string[] => [
  `## ${key}`,
  ...explained(key),
  ...partText(itself!),
  ...kinds.flatMap((kind) => [`### \`${kind.title}\``, ...(kind.meaning ? [kind.meaning] : []), ...partText(kind)]),
];

function partText({ rows, asBefore }: Part): string[] {
  const also = asBefore.map((path) => `\`${path}\``).join(", ");
  return [...(rows.length > 0 ? [tableOf(rows)] : []), ...(also ? [`As above: ${also}.`] : [])];
}

function tableOf(rows: readonly FieldRow[]): string {
  const lines = rows.map(({ path, values, default: fallback, meaning }) =>
    [`\`${path}\``, values, fallback, meaning].map((cell) => cell.replaceAll("|", "\\|")).join(" | "),
  );
  return ["| Field | Values | Default | Meaning |", "|---|---|---|---|", ...lines.map((line) => `| ${line} |`)].join(
    "\n",
  );
}

function explained(key: string): string[] {
  const links = (pages[key] ?? []).map((page) => `[${page}](${page}.md)`);
  return links.length > 0 ? [`Explained in ${links.join(", ")}.`] : [];
}

/** The pages of docs/ that explain a key. */
const pages: Readonly<Record<string, readonly string[]>> = {
  program: ["teams", "external-etcd", "snapshots", "recovery"],
  name: ["teams", "recovery"],
  versions: ["upgrades"],
  placement: ["one-machine", "hosts", "host-cluster", "hooks"],
  pki: ["certificates"],
  etcd: ["etcd", "external-etcd", "recovery"],
  controlPlane: ["control-plane", "members"],
  members: ["members"],
  memberGroups: ["members"],
  addons: ["addons"],
  membersMayLeave: ["members"],
  teams: ["teams"],
  policies: ["policies"],
  policyTemplates: ["policies"],
  policyTemplatesFrom: ["policies"],
  snapshots: ["snapshots"],
  monitoring: ["monitoring"],
  sample: ["one-machine"],
  source: ["snapshots"],
  take: ["snapshots"],
  deployment: ["teams", "recovery"],
  restore: ["recovery"],
  adopted: ["recovery"],
};
