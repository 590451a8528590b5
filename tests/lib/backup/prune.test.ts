import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Journal } from "../../../lib/backup/journal.ts";
import { JournaledTarget } from "../../../lib/backup/journaled-target.ts";
import { look } from "../../../lib/backup/look.ts";
import { prune } from "../../../lib/backup/prune.ts";
import { DirectoryTarget } from "../../../lib/snapshots/directory-target.ts";
import type { Manifest } from "../../../lib/snapshots/manifest.ts";
import { contentOf, sampleManifest } from "../snapshots/support.ts";
import { manifestsIn } from "./support.ts";

/** Machines that look after the same deployment, whose events have an etcd of their own. */
const directory = mkdtempSync(join(tmpdir(), "prune-"));
afterAll(() => rmSync(directory, { recursive: true }));

const bytes = Buffer.alloc(64);
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const keep = { last: 1, hourly: 0, daily: 0, weekly: 0 };
const rules = { keep, current: "ab12", open: () => Promise.reject(new Error("it belongs to the deployment")) };

let count = 0;
/** A target, as each machine sees it: what it has noted is its own. */
function shared() {
  const place = join(directory, `case-${count++}`);
  const machine = (name: string) => {
    const of = (deployment: string) =>
      new JournaledTarget(
        new DirectoryTarget({ directory: join(place, deployment) }),
        new Journal(join(place, name)),
        new AbortController().signal,
      );
    const target = of("prod");
    const events = of("prod.events");
    target.parts.set("prod.events", events);
    return { target, events };
  };
  const there = (deployment: string) => manifestsIn(join(place, deployment)).map(({ id }) => id);
  return { machine, there };
}

/** The snapshot of a number and its part: the highest number is the newest one. */
const part = (number: number, minutes = 0) =>
  sampleManifest(bytes, {
    id: `20261121T120000Z-r${number}-0000ff`,
    deployment: "prod.events",
    reason: "scheduled",
    verified: { level: "sha", at: ago(minutes) },
  });
const whole = (number: number) => {
  const { deployment, id, sha256 } = part(number);
  return sampleManifest(bytes, {
    id: `20261121T120000Z-r${number}-0000aa`,
    reason: "scheduled",
    revision: String(number),
    parts: [{ name: "events", deployment, id, sha256 }],
  });
};

async function store(target: JournaledTarget, manifest: Manifest): Promise<void> {
  await target.prepare(0);
  await target.put(manifest.file, contentOf(bytes), bytes.length);
  await target.commit(manifest);
}

test("a part that another machine has taken stays until the snapshot that it belongs to can have come", async () => {
  const { machine, there } = shared();
  const [a, b] = [machine("a"), machine("b")];
  await store(a.events, part(1));
  await store(b.events, part(2));
  await store(b.target, whole(2));
  await b.target.cleanUp();
  await prune(b.target, rules);
  await store(a.target, whole(1));

  expect(there("prod.events")).toEqual([part(1).id, part(2).id]);
  expect(await look(a.target, [])).toMatchObject({ snapshots: 2, damaged: 0 });
});

test("a part that nothing has come to name within an hour is removed, and what an expired snapshot had goes with it", async () => {
  const { machine, there } = shared();
  const { target, events } = machine("a");
  await store(machine("dead").events, part(1, 61));
  for (const number of [2, 3]) {
    await store(events, part(number));
    await store(target, whole(number));
  }
  await prune(target, rules);
  expect([there("prod"), there("prod.events")]).toEqual([[whole(3).id], [part(3).id]]);
});

test("the next run removes a part whose own run never came to its snapshot, and no other", async () => {
  const { machine, there } = shared();
  const { target, events } = machine("a");
  await store(events, part(1));
  await store(target, whole(1));
  await store(events, part(2));
  await machine("a").target.cleanUp();
  expect(there("prod.events")).toEqual([part(1).id]);

  await machine("a").target.cleanUp();
  expect(there("prod.events")).toEqual([part(1).id]);
});

test("a snapshot that has lost a part counts as damaged, since it cannot be restored", async () => {
  const { machine } = shared();
  const { target, events } = machine("a");
  await store(events, part(1));
  await store(target, whole(1));
  await events.remove(part(1).id);
  expect(await look(target, [])).toMatchObject({ snapshots: 1, damaged: 1, newest: whole(1).id });
});
