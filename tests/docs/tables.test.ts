import { rightsInNamespace } from "../../lib/host-cluster/rights.ts";
import type { Right } from "../../lib/kube/access.ts";
import { rightsInMember } from "../../lib/members/rights.ts";
import { hostPorts } from "../../spec/placement/host-ports.ts";
import { textOf } from "../support/documents.ts";

test("docs/members.md has the rights that a member's kubeconfig is asked for", () => {
  const rows = tableBelow("docs/members.md", "## What its kubeconfig has to be allowed");
  const told = rows.map(([objects, where, verbs]) => `${codesIn(objects!)[0]} ${codesIn(where!)[0] ?? ""} ${verbs}`);
  const asked = rightsInMember.map(
    ({ resource, namespace = "", verbs }) => `${resource} ${namespace} ${verbs.join(", ")}`,
  );
  expect(told).toEqual(asked);
});

test("docs/host-cluster.md has the rights that the host cluster's kubeconfig is asked for", () => {
  const rows = tableBelow("docs/host-cluster.md", "## What its kubeconfig has to be allowed");
  const told = rows.flatMap(([objects, verbs]) => codesIn(objects!).map((each) => `${each}: ${verbs}`));
  const ingress = { ingressClass: "", annotations: {} };
  const asked = rightsInNamespace({ networkPolicies: true, ingress, restores: true, schedules: true }).map(
    (right) => `${titleOf(right)}: ${right.verbs.join(", ")}`,
  );
  expect(told.sort()).toEqual(asked.sort());
});

test("docs/hosts.md has every port that hosts are reached by", () => {
  const told = tableBelow("docs/hosts.md", "## Ports").flatMap(([ports]) => ports!.split(", ").map(Number));
  const reached = Object.values(hostPorts).flatMap((ports) =>
    Object.entries(ports).flatMap(([name, port]) => (["secure", "client", "peer"].includes(name) ? [port] : [])),
  );
  expect(told).toEqual(expect.arrayContaining(reached));
});

test.each(["karmada", "members", "etcd", "snapshots", "restore", "adopted"])(
  "docs/state.md has each output of %s",
  (program) => {
    const stack = /export (?:async )?function \w+Stack\(.*?^}/ms.exec(textOf(`stacks/${program}.ts`))![0];
    const returned = /^ {2}return \{(.*?)\};?$/ms.exec(stack)![1]!;
    const outputs = returned
      .replaceAll(/\/\/.*/g, "")
      .replaceAll(/\.\.\.\([^{]*\{([^}]*)\}\)/g, "$1")
      .split(",")
      .map((output) => output.split(":")[0]!.trim())
      .filter((output) => output !== "");
    expect(outputs.length).toBeGreaterThan(1);
    const page = textOf("docs/state.md").split("## Outputs")[1]!;
    const place = program === "karmada" ? page.split("Stacks of other programs")[0]! : lineOf(page, program);
    expect(outputs.filter((output) => !codesIn(place).includes(output))).toEqual([]);
  },
);

const lineOf = (page: string, program: string): string =>
  page.split("\n").find((line) => line.startsWith(`- \`${program}\`:`))!;

const codesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);

const titleOf = ({ resource, subresource }: Right): string =>
  subresource === undefined ? resource : `${resource}/${subresource}`;

/** The cells of the first table below a heading, without its own two lines. */
function tableBelow(document: string, heading: string): string[][] {
  const below = textOf(document).split(`${heading}\n`)[1]!;
  const lines = /(^\|.*\n)+/m.exec(below)![0].trimEnd().split("\n");
  return lines.slice(2).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
