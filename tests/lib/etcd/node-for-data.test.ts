import { nodeForData } from "../../../lib/etcd/node-for-data.ts";

const nodes = [
  { name: "c", zone: "2" },
  { name: "a", zone: "1" },
  { name: "b", zone: "1" },
];

test("members get a node each, in different zones as far as there are enough", () => {
  const first = nodeForData(nodes, [], undefined, true);
  const second = nodeForData(nodes, ["a"], undefined, true);
  const third = nodeForData(nodes, ["a", "c"], undefined, true);
  expect([first?.name, second?.name, third?.name]).toEqual(["a", "c", "b"]);
});

test("a member that begins again stays where it was, unless another one is there by now", () => {
  expect(nodeForData(nodes, ["a"], "b", false)?.name).toBe("c");
  expect(nodeForData(nodes, ["a", "c"], "b", false)?.name).toBe("b");
  expect(nodeForData(nodes, [], "c", false)?.name).toBe("c");
  expect(nodeForData(nodes, ["a", "b"], "a", false)?.name).toBe("c");
});

test("a node is shared where there is no other and it may be, with as few as possible", () => {
  expect(nodeForData(nodes, ["a", "b", "c"], undefined, true)).toBeUndefined();
  expect(nodeForData(nodes, ["a", "b", "c"], undefined, false)?.name).toBe("c");
  expect(nodeForData(nodes.slice(1), ["a", "a", "b"], undefined, false)?.name).toBe("b");
  expect(nodeForData([], [], undefined, false)).toBeUndefined();
});

test("nodes that are away are no hindrance: what they have counts for the others", () => {
  expect(nodeForData(nodes, ["gone"], "gone", true)?.name).toBe("a");
});
