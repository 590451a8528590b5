import { type Earlier, readyBefore } from "../../components/addon-order.ts";

/** Addons with one resource in each of their members; without members, with one elsewhere. */
const made = new Map(
  Object.entries({
    base: { members: ["oslo", "paris"] },
    hub: { members: ["oslo"], after: ["base"] },
    policies: { after: ["base"] },
    rules: { after: ["policies", "hub"] },
  }).map(([name, addon]: [string, { members?: string[]; after?: string[] }]): [string, Earlier] => {
    const there = (addon.members ?? ["karmada"]).map((cluster) => `${name} in ${cluster}`);
    const readyIn = (member: string) => (addon.members?.includes(member) ? [`${name} in ${member}`] : undefined);
    return [name, { after: addon.after ?? [], ready: there as never, readyIn: readyIn as never }];
  }),
);
const before = (after: string[], member?: string) => [...readyBefore(after, member ? { name: member } : {}, made)];

test("in a member it waits for what an earlier addon has there, and in no other one", () => {
  expect(before(["base"], "paris")).toEqual(["base in paris"]);
  expect(before(["base", "hub"], "oslo")).toEqual(["base in oslo", "hub in oslo"]);
});

test("outside of members it waits for all of an earlier addon", () => {
  expect(before(["base"])).toEqual(["base in oslo", "base in paris"]);
});

test("an earlier addon that is not in the member is waited for where it is, with what comes before that", () => {
  expect(before(["hub"], "paris")).toEqual(["hub in oslo", "base in paris"]);
  expect(before(["policies"], "paris")).toEqual(["policies in karmada", "base in paris"]);
  expect(before(["hub"])).toEqual(["hub in oslo", "base in oslo", "base in paris"]);
});

test("what comes before by several ways is named once", () => {
  expect(before(["rules"], "paris")).toEqual([
    "rules in karmada",
    "policies in karmada",
    "base in paris",
    "hub in oslo",
  ]);
});
