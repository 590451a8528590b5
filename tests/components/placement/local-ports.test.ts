import fc from "fast-check";
import { LocalPorts } from "../../../components/placement/local-ports.ts";
import { portsPerDeployment } from "../../../spec/placement/ports.ts";

it("what everybody has is at the same place in every deployment", () => {
  const ports = new LocalPorts(24000);
  expect(ports.number("karmada-apiserver", "secure")).toBe(24000);
  expect(ports.number("karmada-webhook", "health")).toBe(24016);
  expect([0, 1, 2].map((i) => ports.number(`etcd-${i}`, "client"))).toEqual([24030, 24033, 24036]);
  expect(ports.number("etcd-6", "metrics")).toBe(24050);
  expect(new LocalPorts(31000).number("karmada-scheduler", "metrics")).toBe(31023);
});

const names = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/), { minLength: 1, maxLength: 60 });
const all = (members: string[], ports = new LocalPorts(24000)) =>
  members.map((member) => ["secure", "server"].map((port) => ports.number(`${member}-kube-apiserver`, port)));

it("no number is given twice, and none outside of the deployment's range", () => {
  fc.assert(
    fc.property(names, (members) => {
      const ports = new LocalPorts(24000);
      const fixed = ["karmada-apiserver", "karmada-search"].map((name) => ports.number(name, "secure"));
      const numbers = [...fixed, ...all(members, ports).flat()];
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(numbers.every((number) => number >= 24000 && number < 24000 + portsPerDeployment)).toBe(true);
    }),
  );
});

it("a member that is added moves no other", () => {
  fc.assert(
    fc.property(names, (members) => {
      expect(all(members).slice(0, -1)).toEqual(all(members.slice(0, -1)));
    }),
  );
});

it("a member that is removed moves only what had been pushed aside", () => {
  fc.assert(
    fc.property(names, fc.nat(), (members, which) => {
      const alone = (member: string) => all([member])[0]!;
      const gone = which % members.length;
      const before = all(members).filter((_, i) => i !== gone);
      const rest = members.filter((_, i) => i !== gone);
      const after = all(rest);
      rest.forEach((member, i) => {
        const undisturbed = before[i]!.every((number, port) => number === alone(member)[port]);
        if (undisturbed) expect(after[i]).toEqual(before[i]);
      });
    }),
  );
});

it("a number that was given is given again", () => {
  const ports = new LocalPorts(24000);
  const first = ports.number("member1-kwok", "server");
  ports.number("member2-kwok", "server");
  expect(ports.number("member1-kwok", "server")).toBe(first);
});

it("says so when the range is full", () => {
  const ports = new LocalPorts(24000);
  for (let i = 0; i < 900; i++) ports.number("busy", `port-${i}`);
  expect(() => ports.number("one", "more")).toThrow("one/more: all 1000 ports of the deployment are given");
});
