import { driftOf } from "../../../../lib/etcd/membership/drift.ts";
import { planSentences, planSteps } from "../../../../lib/etcd/membership/plan.ts";
import { refusals } from "../../../../lib/etcd/membership/refusals.ts";
import type { Situation } from "../../../../lib/etcd/membership/situation.ts";
import { cluster, desired, facts, knownOf, member, names, peerUrl, run, situation } from "./model.ts";

const steps = (from: Situation) =>
  planSteps(from).map(({ step }) => `${step.kind} ${"member" in step ? step.member : ""}`.trim());
const reasons = (from: Situation) => refusals(from).map(({ reason }) => reason);

describe("a plan", () => {
  test("of nothing to do is only how the cluster is", () => {
    expect(planSentences(situation(3, desired(names(3))))).toEqual([
      "health: 3/3 voters, leader etcd-0, no lag, no alarm, db about 1Mi of 8.0Gi; tolerates 1 loss",
    ]);
  });

  test("of a new cluster starts all at once", () => {
    const fresh = { facts: facts([]), desired: desired(names(3)), known: { members: [], replaced: {} } };
    expect(reasons(fresh)).toEqual([]);
    expect(planSentences(fresh)).toEqual([
      "health: no member answers",
      "start etcd-0, etcd-1 and etcd-2 as a new cluster of etcd 3.6.6; tolerates 1 loss",
    ]);
  });

  test("of a cluster that nobody answers for goes no further than to wait: the way to it may still have to come", () => {
    const runs = Object.fromEntries(names(3).map((name) => [name, run()]));
    const from = { ...situation(3, desired(names(3))), facts: facts([], runs) };
    expect(steps(from)).toEqual(["wait"]);
  });

  test("of members that refuse us restarts those of an earlier revision, together with those that have ended", () => {
    const wanted = desired(names(5), { replace: { "etcd-4": 1 } });
    const newer = wanted.members.map((each) => (each.name === "etcd-3" ? each : { ...each, revision: "b" }));
    const runs = Object.fromEntries(names(5).map((name) => [name, run({ running: name !== "etcd-1" })]));
    const seen = facts([], runs);
    const refusing = newer.map(({ clientUrl }) => clientUrl);
    const from = {
      ...situation(5, { ...wanted, members: newer }),
      facts: { ...seen, report: { ...seen.report, refusing } },
    };
    expect(reasons(from)).toEqual([]);
    expect(planSentences(from)).toEqual([
      "health: no member answers",
      "start etcd-1 again, on the data there, and restart etcd-0 and etcd-2: they keep to earlier certificates, and refuse us",
      "wait until a majority answers",
    ]);
  });

  test("from one to three adds one after another", () => {
    const from = situation(1, desired(names(3)));
    expect(steps(from)).toEqual([
      "add etcd-1",
      "join etcd-1",
      "promote etcd-1",
      "add etcd-2",
      "join etcd-2",
      "promote etcd-2",
    ]);
    expect(planSentences(from).slice(1)).toEqual([
      "add etcd-1 at https://etcd-1:2380 as a learner with empty data, start it, make it a voter when it is at most 1000 entries behind; then 2 voters, tolerates no loss",
      "add etcd-2 at https://etcd-2:2380 as a learner with empty data, start it, make it a voter when it is at most 1000 entries behind; then 3 voters, tolerates 1 loss",
    ]);
  });

  test("from five to three removes the highest numbers, the leader last", () => {
    const members = cluster(5).map((each) => ({ ...each, leader: each.name === "etcd-4" }));
    const from = { ...situation(5, desired(names(3))), facts: facts(members) };
    expect(planSentences(from).slice(1)).toEqual([
      "remove etcd-3 (not declared any more), end it and put its data aside; then 4 voters, tolerates 1 loss",
      "hand leadership to another, remove etcd-4 (not declared any more), end it and put its data aside; then 3 voters, tolerates 1 loss",
    ]);
  });

  test("of other members adds before it removes", () => {
    const from = situation(3, desired(["etcd-0", "etcd-2", "etcd-3"]));
    expect(steps(from)).toEqual(["add etcd-3", "join etcd-3", "promote etcd-3", "remove etcd-1"]);
  });

  test("of other members removes a dead one first: etcd accepts no other while one does not answer", () => {
    const members = cluster(3).map((each) =>
      each.name === "etcd-1" ? member("etcd-1", { problem: "refused" }) : each,
    );
    const from = { ...situation(3, desired(["etcd-0", "etcd-2", "etcd-3"])), facts: facts(members) };
    expect(steps(from)).toEqual(["remove etcd-1", "add etcd-3", "join etcd-3", "promote etcd-3"]);
  });

  test("of a restart takes what has ended, then what is not ready, then followers, then the leader", () => {
    const wanted = desired(names(5));
    const from: Situation = {
      ...situation(5, {
        ...wanted,
        version: "3.6.8",
        members: wanted.members.map((each) => ({ ...each, revision: "b" })),
      }),
      facts: facts(
        cluster(5).map((each) => {
          if (each.name === "etcd-3") return { ...each, healthy: false, problem: "ended" };
          return each.name === "etcd-2" ? { ...each, healthy: false, problem: "knows no leader" } : each;
        }),
        { "etcd-3": run({ running: false }) },
      ),
    };
    expect(planSentences(from)).toEqual([
      "health: 3/5 voters, leader etcd-0, no lag, no alarm, db about 1Mi of 8.0Gi; tolerates no loss",
      "start etcd-3 again, on the data there",
      "restart etcd-2: etcd 3.6.6 to 3.6.8 (not well: knows no leader)",
      "restart etcd-1: etcd 3.6.6 to 3.6.8",
      "restart etcd-4: etcd 3.6.6 to 3.6.8",
      "restart etcd-0: etcd 3.6.6 to 3.6.8 (leader, hands over first)",
    ]);
  });

  test("of a single member's restart says that clients wait; growing first spares them that", () => {
    const restarted = (size: number) => {
      const wanted = desired(names(size));
      return { ...wanted, members: wanted.members.map((each) => ({ ...each, revision: "b" })) };
    };
    expect(planSentences(situation(1, restarted(1)))[1]).toBe(
      "restart etcd-0 (the only voter: clients wait meanwhile)",
    );
    expect(steps(situation(1, restarted(3))).at(-1)).toBe("restart etcd-0");
  });

  test("of another peer URL tells the others and restarts", () => {
    const wanted = desired(names(3));
    const members = wanted.members.map((each) => ({ ...each, peerUrl: peerUrl(each.name, 3380), revision: "b" }));
    expect(steps(situation(3, { ...wanted, members }))).toEqual([
      "readdress etcd-1",
      "readdress etcd-2",
      "readdress etcd-0",
    ]);
  });

  test("of a replacement removes and adds, once for each raised number", () => {
    const from = situation(3, desired(names(3), { replace: { "etcd-1": 1 } }));
    expect(planSentences(from).slice(1)).toEqual([
      "remove etcd-1 (to be replaced), end it and put its data aside; then 2 voters, tolerates no loss",
      "add etcd-1 at https://etcd-1:2380 as a learner with empty data, start it, make it a voter when it is at most 1000 entries behind; then 3 voters, tolerates 1 loss",
    ]);
    const noted = { ...from, known: { ...from.known, replaced: { "etcd-1": 1 } } };
    expect(steps(noted)).toEqual([]);
  });

  test.each([
    ["one member", ["etcd-1"]],
    ["all members", names(3)],
  ])("of a replacement that moves %s to hosts where nothing is removes and adds, and restarts none", (_, moved) => {
    const wanted = desired(names(3), { replace: Object.fromEntries(moved.map((name) => [name, 1])) });
    const members = wanted.members.map((each) =>
      moved.includes(each.name) ? { ...each, peerUrl: peerUrl(each.name, 3380), revision: "b" } : each,
    );
    const nothing = { running: false, prepared: "b", incarnations: [] };
    const runs = Object.fromEntries(moved.map((name) => [name, nothing]));
    const from = situation(3, { ...wanted, members }, { ...facts(cluster(3), runs) });
    const each = [...moved].sort((a, b) => Number(a === "etcd-0") - Number(b === "etcd-0"));
    const all = each.flatMap((name) => ["remove", "add", "join", "promote"].map((kind) => `${kind} ${name}`));
    expect(reasons(from)).toEqual([]);
    expect(steps(from)).toEqual(all);
    // A preview finds nothing of what they were started with.
    const unknown = from.known.members.map((member) =>
      moved.includes(member.name) ? { ...member, token: "", incarnation: 0 } : member,
    );
    expect(steps({ ...from, known: { ...from.known, members: unknown } })).toEqual(all);
  });

  test("of a replacement that a killed run could not note is empty", () => {
    const bootstrap = { token: "t", state: "existing", initialCluster: "", incarnation: 2 } as const;
    const runs = { "etcd-1": run({ bootstrap, incarnations: [2] }) };
    const wanted = desired(names(3), { replace: { "etcd-1": 1 } });
    expect(steps({ ...situation(3, wanted), facts: facts(cluster(3), runs) })).toEqual([]);
  });

  test("goes on with a learner that was added and never started, and does not add another", () => {
    const learner = member("", {
      id: "id-new",
      learner: true,
      clientUrls: [],
      peerUrls: [peerUrl("etcd-3")],
      problem: "nothing",
    });
    const from = {
      ...situation(3, desired([...names(3), "etcd-3", "etcd-4"])),
      facts: facts([...cluster(3), learner]),
    };
    expect(steps(from).slice(0, 3)).toEqual(["join etcd-3", "promote etcd-3", "add etcd-4"]);
  });

  test("takes a learner away that nobody declares any more", () => {
    const learner = member("", {
      id: "id-new",
      learner: true,
      clientUrls: [],
      peerUrls: [peerUrl("etcd-3")],
      problem: "nothing",
    });
    const from = { ...situation(3, desired(names(3))), facts: facts([...cluster(3), learner]) };
    expect(steps(from)).toEqual(["remove id-new"]);
  });

  test("of a lower minor version asks etcd first", () => {
    const wanted = desired(names(3), { version: "3.5.30" });
    const from = situation(3, { ...wanted, members: wanted.members.map((each) => ({ ...each, revision: "b" })) });
    expect(steps(from)).toEqual(["allow-downgrade", "restart etcd-1", "restart etcd-2", "restart etcd-0"]);
    const calledOff = { ...from, facts: { ...from.facts, clusterVersion: "3.5.0" } };
    expect(steps(calledOff)).toEqual(steps(from));
    const half = { ...from.facts, report: { ...from.facts.report, downgrade: "3.5.0" } };
    expect(steps({ ...situation(3, desired(names(3))), facts: half })).toEqual(["cancel-downgrade"]);
  });

  test("defragments what is worth it, the leader last", () => {
    const big = cluster(3).map((each) => ({ ...each, dbSize: 2 ** 30, dbSizeInUse: 2 ** 28, fragmentation: 0.75 }));
    const from = { ...situation(3, desired(names(3))), facts: facts(big) };
    expect(planSentences(from).slice(1)).toEqual([
      "defragment etcd-1 (80% of about 1Gi unused)",
      "defragment etcd-2 (80% of about 1Gi unused)",
      "defragment etcd-0 (80% of about 1Gi unused)",
    ]);
  });

  test("makes room in a full database before members are added", () => {
    const full = cluster(3).map((each) => (each.leader ? { ...each, alarms: ["NOSPACE"] } : each));
    const from = { ...situation(3, desired([...names(3), "etcd-3"])), facts: facts(full) };
    expect(steps(from).slice(0, 2)).toEqual(["reclaim", "add etcd-3"]);
  });

  test("gives an only voter that is full its new quota before it makes room by it", () => {
    const full = cluster(1).map((each) => ({ ...each, alarms: ["NOSPACE"] }));
    const wanted = desired(names(3));
    const raised = { ...wanted, members: wanted.members.map((each) => ({ ...each, revision: "b" })) };
    const from = { ...situation(1, raised), facts: facts(full) };
    expect(steps(from).slice(0, 3)).toEqual(["restart etcd-0", "reclaim", "add etcd-1"]);
  });

  test("of a damaged member's replacement ends the alarm that it leaves behind, before anything is added", () => {
    const damaged = cluster(3).map((each) => (each.name === "etcd-1" ? { ...each, alarms: ["CORRUPT"] } : each));
    const wanted = desired(names(3), { replace: { "etcd-1": 1 } });
    const from = { ...situation(3, wanted), facts: facts(damaged) };
    expect(steps(from)).toEqual(["remove etcd-1", "disarm", "add etcd-1", "join etcd-1", "promote etcd-1"]);
    expect(planSentences(from)[2]).toBe(
      "end the alarm CORRUPT of id-etcd-1, no member any more, for which etcd refuses all writes",
    );
    const full = damaged.map((each) => (each.leader ? { ...each, alarms: ["NOSPACE"] } : each));
    expect(steps({ ...from, facts: facts(full) }).slice(0, 3)).toEqual(["remove etcd-1", "disarm", "reclaim"]);
  });

  test("ends the alarm CORRUPT of a member that is gone before all else, and makes room for one of NOSPACE", () => {
    const alarms = [
      { id: "1e9", alarm: "NOSPACE" },
      { id: "1e9", alarm: "CORRUPT" },
    ];
    const ended = { "etcd-1": run({ running: false }) };
    const members = cluster(3).map((each) =>
      each.name === "etcd-1" ? member("etcd-1", { problem: "refused" }) : each,
    );
    const from = { ...situation(3, desired(names(3))), facts: facts(members, ended, {}, alarms) };
    expect(reasons(from)).toEqual([]);
    expect(planSentences(from)).toEqual([
      "health: 2/3 voters, leader etcd-0, no lag, alarm NOSPACE of 1e9, no member any more, alarm CORRUPT of 1e9, no member any more, db about 1Mi of 8.0Gi; tolerates no loss",
      "end the alarm CORRUPT of 1e9, no member any more, for which etcd refuses all writes",
      "start etcd-1 again, on the data there",
      "the database counts as full (alarm NOSPACE of 1e9, no member any more): compact it to its newest revision, defragment every member, the leader last, and let it take writes again",
    ]);
    expect(driftOf(from).slice(1)).toEqual([
      "etcd: alarm NOSPACE of 1e9, no member any more",
      "etcd: alarm CORRUPT of 1e9, no member any more",
    ]);
  });
});

test("a refresh tells a member that was edited by hand from one that runs as before, and from one that runs elsewhere", () => {
  const { revision: _, ...edited } = run();
  const runs = { "etcd-0": edited, "etcd-1": run({ revision: "z" }), "etcd-2": { ...edited, running: false } };
  const from = { ...situation(3, desired(names(3))), facts: facts(cluster(3), runs) };
  expect(driftOf(from)).toEqual([
    "etcd-0: was edited by hand, and is put back by the next up",
    "etcd-1: runs revision z, not a",
    "etcd-2: answers, and does not run where it is declared",
  ]);
});

describe("what is refused, with what to set instead", () => {
  const lost = run({ running: false, incarnations: [] });
  const dead = (name: string, more = {}) => member(name, { problem: "refused", ...more });
  const with_ = (dead_: readonly string[], size = 3) =>
    cluster(size).map((each) => (dead_.includes(each.name) ? dead(each.name) : each));

  test("a member whose data are gone is not started under its old identity", () => {
    const from = { ...situation(3, desired(names(3))), facts: facts(with_(["etcd-1"]), { "etcd-1": lost }) };
    expect(reasons(from)).toEqual([
      "etcd-1: its data are gone; it must not come back under its old identity: set etcd.replace to {etcd-1: 1} to have it removed and added again",
    ]);
    const meant = { ...from, desired: desired(names(3), { replace: { "etcd-1": 1 } }) };
    expect(reasons(meant)).toEqual([]);
    expect(steps(meant)).toEqual(["remove etcd-1", "add etcd-1", "join etcd-1", "promote etcd-1"]);
  });

  test("a member of an override is to be named in the replace of that: the first etcd knows none of its name", () => {
    const lost = [member("etcd-events-0", { leader: true }), ...["1", "2"].map((i) => member(`etcd-events-${i}`))];
    const all = lost.map(({ name }) => name);
    const runs = { "etcd-events-1": run({ running: false, incarnations: [] }) };
    expect(reasons({ facts: facts(lost, runs), desired: desired(all), known: knownOf(all) })).toEqual([
      "etcd-events-1: its data are gone; it must not come back under its old identity: set etcd.overrides[].replace of events to {etcd-events-1: 1} to have it removed and added again",
    ]);
  });

  test("a majority that lost its data is not replaced", () => {
    const runs = { "etcd-1": lost, "etcd-2": lost };
    const from = {
      ...situation(3, desired(names(3), { replace: { "etcd-1": 1 } })),
      facts: facts(with_(["etcd-1", "etcd-2"]), runs),
    };
    expect(reasons(from)).toEqual([
      "2 of 3 voters have lost their data (etcd-1, etcd-2): without a majority no member can be replaced; the restore program starts a cluster from a snapshot, also from one of a member that is left",
    ]);
  });

  test("a cluster that existed and lost everything is not started as a new one", () => {
    const runs = Object.fromEntries(names(3).map((name) => [name, lost]));
    const from = { ...situation(3, desired(names(3))), facts: facts([], runs) };
    expect(reasons(from)).toEqual([
      "the data of every member are gone (etcd-0, etcd-1, etcd-2); restore a snapshot: the restore program starts a cluster from a snapshot, also from one of a member that is left",
    ]);
  });

  test("members that have only ended are started, all of them, also those that are to go", () => {
    const ended = Object.fromEntries(names(3).map((name) => [name, run({ running: false })]));
    const from = { ...situation(3, desired(names(1))), facts: facts([], ended) };
    expect(reasons(from)).toEqual([]);
    expect(planSteps({ ...from, facts: facts(with_(names(3)), ended) })[0]?.step).toEqual({
      kind: "start",
      members: names(3),
    });
  });

  test("the only voter is not replaced", () => {
    expect(reasons(situation(1, desired(names(1), { replace: { "etcd-0": 1 } })))).toEqual([
      "etcd-0 is the only voter, replacing it would lose all data; declare more members first, or restore a snapshot",
    ]);
  });

  test("a foreign member is neither ignored nor removed unasked", () => {
    const stranger = member("stranger");
    const world = { ...facts([...cluster(3), stranger]), runs: facts(cluster(3)).runs };
    const from = (foreignMembers: "refuse" | "ignore" | "remove") => ({
      ...situation(3, desired(names(3), { foreignMembers })),
      facts: world,
    });
    expect(reasons(from("refuse"))).toEqual([
      'stranger at https://stranger:2380 is a member that nobody declared and that does not run here; declare it, or set foreignMembers to "ignore" or "remove"',
    ]);
    expect(steps(from("ignore"))).toEqual([]);
    expect(steps(from("remove"))).toEqual(["remove stranger"]);
  });

  test("a name is not changed in place", () => {
    const wanted = desired(["etcd-0", "etcd-1", "etcd-9"]);
    const members = wanted.members.map((each) =>
      each.name === "etcd-9" ? { ...each, peerUrl: peerUrl("etcd-2") } : each,
    );
    expect(reasons(situation(3, { ...wanted, members }))).toEqual([
      "https://etcd-2:2380 is the address of etcd-2, so etcd-9 cannot have it; keep the name, or give etcd-9 another address",
    ]);
  });

  test("a damaged member is only replaced", () => {
    const damaged = cluster(3).map((each) => (each.name === "etcd-1" ? { ...each, alarms: ["CORRUPT"] } : each));
    const from = { ...situation(3, desired(names(3))), facts: facts(damaged) };
    expect(reasons(from)).toEqual([
      "etcd-1: its data differ from the others' (alarm CORRUPT); set etcd.replace to {etcd-1: 1} to have it removed and added again",
    ]);
    expect(reasons({ ...from, desired: desired(names(3), { replace: { "etcd-1": 1 } }) })).toEqual([]);
  });

  test("where etcd does not know which member is damaged none is replaced", () => {
    const wanted = desired(names(3), { replace: { "etcd-1": 1 } });
    const from = { ...situation(3, wanted), facts: facts(cluster(3), {}, {}, [{ id: "0", alarm: "CORRUPT" }]) };
    expect(reasons(from)).toEqual([
      "the members' data differ, and etcd does not tell whose are wrong (alarm CORRUPT of no member in particular), so none can be replaced; set etcd.restore to a snapshot from before, or to the member whose data you trust: {kind: member}",
    ]);
  });

  test("another cluster's endpoints are not taken for ours; a restore of ours shows in the token", () => {
    const from = { ...situation(3, desired(names(3))), known: { ...knownOf(names(3)), clusterId: "other" } };
    expect(reasons(from)).toEqual(["the endpoints belong to the cluster c, ours is other; give the endpoints of ours"]);
    const bootstrap = { token: "t-g2", state: "new", initialCluster: "", incarnation: 2 } as const;
    const restored = { "etcd-0": run({ bootstrap, incarnations: [2] }) };
    expect(reasons({ ...from, facts: facts(cluster(3), restored) })).toEqual([]);
  });

  test("versions that etcd does not go between; members and a minor version at once", () => {
    const version = (to: string, size = 3) => situation(3, desired(names(size), { version: to }));
    expect(reasons(version("3.8.0"))).toEqual([
      "etcd goes up one minor version at a time: from 3.6 to 3.7 first, then to 3.8.0",
    ]);
    expect(reasons(version("3.7.1", 5))).toEqual([
      "the members and the minor version change together; change to 3.7.1 first, then the members",
    ]);
    expect(reasons(version("3.6.8", 5))).toEqual([]);
    const justRaised = version("3.6.6", 5);
    expect(reasons({ ...justRaised, facts: { ...justRaised.facts, clusterVersion: "3.5.0" } })).toEqual([]);
  });
});
