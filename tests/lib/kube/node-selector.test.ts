import { listsNodes, selects } from "../../../lib/kube/node-selector.ts";

const node = {
  metadata: {
    name: "node1",
    labels: { "kubernetes.io/hostname": "one", "topology.kubernetes.io/zone": "a", disks: "4", none: "" },
  },
};
const by = (key: string, operator: string, values?: string[]) => ({
  matchExpressions: [{ key, operator, ...(values && { values }) }],
});
const isSelected = (...nodeSelectorTerms: object[]) => selects({ nodeSelectorTerms }, node);

test.each([
  ["In", "disks", ["2", "4"], true],
  ["In", "disks", ["2"], false],
  ["In", "missing", [""], false],
  ["NotIn", "disks", ["2"], true],
  ["NotIn", "disks", ["4"], false],
  ["NotIn", "missing", ["4"], true],
  ["Exists", "none", undefined, true],
  ["Exists", "missing", undefined, false],
  ["DoesNotExist", "missing", undefined, true],
  ["DoesNotExist", "none", undefined, false],
  ["Gt", "disks", ["3"], true],
  ["Gt", "disks", ["4"], false],
  ["Gt", "missing", ["3"], false],
  ["Gt", "none", ["-1"], false],
  ["Lt", "disks", ["10"], true],
  ["Lt", "disks", ["4"], false],
])("%s: %s %j is %s of a node", (operator, key, values, expected) => {
  expect(isSelected(by(key, operator, values))).toBe(expected);
});

test("a node is selected by any term of which it meets all, and by no empty one", () => {
  const [met, unmet] = [by("disks", "Exists"), by("disks", "DoesNotExist")];
  expect(isSelected(unmet, met)).toBe(true);
  expect(isSelected({ matchExpressions: [...met.matchExpressions, ...unmet.matchExpressions] })).toBe(false);
  const named = (name: string) => ({ matchFields: [{ key: "metadata.name", operator: "In", values: [name] }] });
  expect(isSelected(named("node1"))).toBe(true);
  expect(isSelected({ ...met, ...named("node2") })).toBe(false);
  expect(isSelected({})).toBe(false);
  expect(isSelected()).toBe(false);
});

test("an old volume's zone is that of the node's newer label", () => {
  expect(isSelected(by("failure-domain.beta.kubernetes.io/zone", "In", ["a"]))).toBe(true);
  expect(isSelected(by("failure-domain.beta.kubernetes.io/zone", "In", ["b"]))).toBe(false);
});

test("nodes are listed where each term has some of their names, not where one has a zone", () => {
  const hostname = by("kubernetes.io/hostname", "In", ["one"]);
  const zone = by("topology.kubernetes.io/zone", "In", ["a"]);
  expect(listsNodes({ nodeSelectorTerms: [hostname] })).toBe(true);
  expect(listsNodes({ nodeSelectorTerms: [hostname, zone] })).toBe(false);
  expect(listsNodes({ nodeSelectorTerms: [by("kubernetes.io/hostname", "NotIn", ["one"])] })).toBe(false);
});
