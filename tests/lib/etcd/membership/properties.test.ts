import fc from "fast-check";
import { majority } from "../../../../lib/etcd/conditions.ts";
import type { EtcdMember } from "../../../../lib/etcd/member.ts";
import { bootstrapOf } from "../../../../lib/etcd/membership/bootstrap.ts";
import { nextStep } from "../../../../lib/etcd/membership/next.ts";
import { outcomeOf } from "../../../../lib/etcd/membership/outcome.ts";
import { predict } from "../../../../lib/etcd/membership/predict.ts";
import { refusals } from "../../../../lib/etcd/membership/refusals.ts";
import { nameOf, runOf, voters, type Facts, type Situation } from "../../../../lib/etcd/membership/situation.ts";
import type { Step } from "../../../../lib/etcd/membership/steps.ts";
import { cluster, desired, facts, knownOf, names, peerUrl, run } from "./model.ts";

const subset = fc.subarray(names(7), { minLength: 1, maxLength: 7 });

/** Any cluster, anything declared of it, and members that have ended or lost their disk before. */
const anything = fc
  .record({
    size: fc.constantFrom(1, 2, 3, 4, 5),
    wanted: subset,
    revised: subset,
    moved: subset,
    replaced: fc.subarray(names(7), { maxLength: 2 }),
    ended: fc.subarray(names(5), { maxLength: 3 }),
    wiped: fc.subarray(names(5), { maxLength: 1 }),
    version: fc.constantFrom("3.6.6", "3.6.8", "3.7.1", "3.5.30"),
    full: fc.subarray(names(5), { maxLength: 1 }),
    damaged: fc.subarray(names(5), { maxLength: 1 }),
    stray: fc.subarray(["NOSPACE", "CORRUPT"]),
  })
  .map(({ size, wanted, revised, moved, replaced, ended, wiped, version, full, damaged, stray }): Situation => {
    const away = [...ended, ...wiped];
    const alarmsOf = (name: string) => [
      ...(full.includes(name) ? ["NOSPACE"] : []),
      ...(damaged.includes(name) ? ["CORRUPT"] : []),
    ];
    const members = cluster(size).map((well): EtcdMember => {
      const each = { ...well, alarms: alarmsOf(well.name) };
      if (!away.includes(each.name)) return { ...each, leader: false };
      return { ...each, leader: false, healthy: false, problem: "refused" };
    });
    const [leader] = members.filter(({ healthy }) => healthy);
    const runs = Object.fromEntries(
      members.map(({ name }) => [
        name,
        run({ running: !away.includes(name), incarnations: wiped.includes(name) ? [] : [1] }),
      ]),
    );
    const declared = desired(wanted, { version, replace: Object.fromEntries(replaced.map((name) => [name, 1])) });
    return {
      facts: facts(
        members.map((each) => (each === leader ? { ...each, leader: true, role: "leader" } : each)),
        runs,
        {},
        stray.map((alarm) => ({ id: "gone", alarm })),
      ),
      known: knownOf(names(size)),
      desired: {
        ...declared,
        members: declared.members.map((each) => ({
          ...each,
          revision: revised.includes(each.name) || version !== "3.6.6" ? "b" : "a",
          peerUrl: moved.includes(each.name) ? peerUrl(each.name, 3380) : each.peerUrl,
        })),
      },
    };
  });

/** What happens between two looks: nothing, or the run is killed within its step, or a follower ends. */
const mishaps = fc.array(fc.constantFrom("none", "none", "killed", "noted", "ended"), { maxLength: 12 });

describe("whatever is there and whatever is declared, also when runs are killed and members end", () => {
  test("it comes to what is declared, or refuses; one change at a time, never below a majority, no directory twice", () => {
    fc.assert(
      fc.property(anything, mishaps, (start, accidents) => {
        let now = start;
        const used = new Map(Object.entries(start.facts.runs).map(([name]) => [name, 1]));
        for (let turn = 0; ; turn++) {
          if (refusals(now).length > 0) return;
          const step = nextStep(now);
          if (step === undefined) break;
          if (step.kind === "wait" && step.member === undefined) return;
          expect(turn).toBeLessThan(150);
          expectSafe(now, step);
          if (step.kind === "join") {
            const { incarnation } = bootstrapOf(now, step.member);
            const again = runOf(now, step.member).incarnations.includes(incarnation);
            if (!again) expect(incarnation).toBeGreaterThan(used.get(step.member) ?? 0);
            used.set(step.member, incarnation);
          }
          now = happened(now, step, accidents[turn] ?? "none");
        }
        expectDeclared(now);
      }),
      { numRuns: 1000 },
    );
  });
});

/** The world after a step and an accident. */
function happened(now: Situation, step: Step, accident: string): Situation {
  const whole = { ...now, facts: predict(now, step) };
  switch (accident) {
    case "killed":
      return { ...now, facts: half(now, step) };
    case "noted":
      return { ...whole, known: outcomeOf(whole).known };
    case "ended":
      return { ...whole, facts: withoutFollower(whole) };
    default:
      return whole;
  }
}

/** Only the first thing a step does was done. */
function half(now: Situation, step: Step): Facts {
  if (step.kind === "remove") {
    const { report } = predict(now, step);
    return { ...now.facts, report };
  }
  if (step.kind === "restart" || step.kind === "readdress") {
    const { runs } = now.facts;
    const entry = (each: EtcdMember) =>
      nameOf(now, each) === step.member ? { ...each, healthy: false, problem: "x" } : each;
    const stopped = { ...runOf(now, step.member), running: false };
    const members = now.facts.report.members.map(entry);
    const { clusterVersion, report } = now.facts;
    return facts(members, { ...runs, [step.member]: stopped }, { clusterVersion }, report.strayAlarms);
  }
  return predict(now, step);
}

/** One that can be missed: what happens beyond that is not of our making. */
function withoutFollower({ facts: before }: Situation): Facts {
  const all = before.report.members;
  const voting = all.filter(({ learner }) => !learner);
  const victim = voting.find(({ leader, healthy }) => !leader && healthy);
  if (victim === undefined || voting.filter(({ healthy }) => healthy).length <= majority(voting.length)) return before;
  const members = all.map((each) => (each === victim ? { ...each, healthy: false, problem: "ended" } : each));
  const runs = { ...before.runs, [victim.name]: { ...(before.runs[victim.name] ?? run()), running: false } };
  return facts(members, runs, { clusterVersion: before.clusterVersion }, before.report.strayAlarms);
}

function expectSafe(now: Situation, step: Step): void {
  const all = voters(now);
  const learning = now.facts.report.members.length - all.length;
  if (step.kind === "add")
    expect({ learning, sick: all.filter(({ healthy }) => !healthy) }).toEqual({ learning: 0, sick: [] });
  expect(learning).toBeLessThanOrEqual(1);
  const takenAway =
    step.kind === "restart" || step.kind === "readdress" || step.kind === "remove" ? step.member : undefined;
  if (takenAway === undefined) return;
  const target = now.facts.report.members.find((each) => nameOf(now, each) === takenAway);
  if (target === undefined || target.learner || !target.healthy) return;
  const healthy = all.filter((each) => each.healthy && each !== target).length;
  const left = step.kind === "remove" ? all.length - 1 : all.length;
  // One or two voters cannot do without any; their restart is a short outage, their removal is not.
  if (step.kind !== "remove" && all.length <= 2) return;
  expect(healthy).toBeGreaterThanOrEqual(majority(left));
}

function expectDeclared({ facts: { report, runs }, desired: { members } }: Situation): void {
  const listed = report.members.map(({ name, learner, healthy, peerUrls }) => ({ name, learner, healthy, peerUrls }));
  const wanted = members.map(({ name, peerUrl: url }) => ({ name, learner: false, healthy: true, peerUrls: [url] }));
  const sorted = <T extends { name: string }>(list: T[]) => [...list].sort((a, b) => (a.name < b.name ? -1 : 1));
  expect(sorted(listed)).toEqual(sorted(wanted));
  expect(report.conditions.noAlarm).toBe(true);
  for (const { name, revision } of members) expect(runs[name]).toMatchObject({ running: true, revision });
  const gone = Object.entries(runs).filter(([name]) => !members.some((member) => member.name === name));
  for (const [, { running, incarnations }] of gone)
    expect({ running, incarnations }).toEqual({ running: false, incarnations: [] });
}
