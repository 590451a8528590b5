/** Real learners of etcd: how they are asked whether they live. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deadlineIn, Pending, waitFor } from "../../../lib/wait.ts";
import { answering, as } from "../../support/etcd-auth.ts";
import { startLearner } from "../../support/etcd-learner.ts";
import { startEtcd } from "../../support/etcd.ts";
import { Programs } from "../../support/running.ts";
import { etcdProcess } from "../support/processes.ts";

const started: Programs[] = [];
afterAll(async () => {
  await Promise.all(started.map((programs) => programs.remove()));
});

test.each([
  ["etcd", 31580],
  ["etcd@3.5.35", 31590],
])(
  "a learner of %s lives, and does not serve, so that nobody takes it for one that hangs",
  async (program, port) => {
    const programs = new Programs(mkdtempSync(join(tmpdir(), "etcd-alive-")));
    started.push(programs);
    const cluster = await startEtcd(programs, port, 1, undefined, program);
    const who = await as(cluster, "root");
    await answering(cluster, who);
    const metrics = `http://127.0.0.1:${port + 4}`;
    const flags = { "listen-metrics-urls": metrics };
    await startLearner(programs, cluster, { who, port: port + 2, flags }, program);
    const { alive, probe } = etcdProcess("etcd-1");
    const answer = async (path = "") => (await fetch(`${metrics}${path}`)).status;
    await waitFor("the learner to live", deadlineIn(30), async () => {
      const status = await answer(alive?.path);
      return status === 200 ? undefined : new Pending(`it answers ${status}`);
    });
    expect(await answer("path" in probe ? probe.path : "")).toBe(503);
  },
  60_000,
);

test("a member may take as long as reading the largest database of its quota from a slow disk does", () => {
  expect(etcdProcess("etcd-1").alive).toEqual({ path: "/livez", deadline: "880s" });
});
