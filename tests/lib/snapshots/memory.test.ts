import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { deadlineIn, waitFor } from "../../../lib/wait.ts";
import { type EtcdCluster, startEtcd } from "../../support/etcd.ts";
import { clientOf, fill } from "../../support/etcd-data.ts";
import { Programs } from "../../support/running.ts";
import { type S3Server, startS3 } from "../../support/s3.ts";
import { runSnapshotProgram } from "../../support/snapshot-program.ts";

jest.setTimeout(120_000);

/** Programs that take snapshots have less memory than this, whatever the size of the database: less than this one's. */
const limit = 150;
const megabytes = 250;
const port = 23_360;

const programs = new Programs(mkdtempSync(join(tmpdir(), "snapshot-memory-")));
let cluster: EtcdCluster;
let s3: S3Server;

beforeAll(async () => {
  [cluster, s3] = await Promise.all([startEtcd(programs, port), startS3(programs, port + 10)]);
  const client = clientOf(cluster);
  await waitFor("etcd", deadlineIn(60), () => client.call(cluster.endpoints[0]!, "maintenance/status", {}));
  client.close();
  await fill(cluster, megabytes * 1e6);
});
afterAll(async () => {
  await programs.remove();
});

const local = () => ({ kind: "local", directory: join(programs.directory, "backup") }) as const;

test.each([
  ["a directory", local],
  ["a bucket", () => s3.settings],
] as const)("a snapshot into %s", async (_, target) => {
  // Only the very first one reads TypeScript.
  await runSnapshotProgram(cluster, target(), programs.directory);
  const { manifest, peakMegabytes } = await runSnapshotProgram(cluster, target(), programs.directory);
  console.info(`at most ${Math.round(peakMegabytes)} MB with a database of ${megabytes} MB`);
  expect(manifest.sizeBytes).toBeGreaterThan(megabytes * 1e6);
  expect(peakMegabytes).toBeLessThan(limit);
});
