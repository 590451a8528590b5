import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { runDrill } from "../../../lib/backup/drill.ts";
import { Journal } from "../../../lib/backup/journal.ts";
import { JournaledTarget } from "../../../lib/backup/journaled-target.ts";
import type { BackupSettings } from "../../../lib/backup/settings.ts";
import { DirectoryTarget } from "../../../lib/snapshots/directory-target.ts";
import { saveSnapshot } from "../../../lib/snapshots/save.ts";
import { type EtcdCluster, startEtcd } from "../../support/etcd.ts";
import { programPath } from "../../support/programs.ts";
import { Programs } from "../../support/running.ts";
import { fill, manifestsIn } from "./support.ts";

/** Drills of real snapshots, of a deployment with a further cluster for its events. */
const programs = new Programs(mkdtempSync(join(tmpdir(), "drill-")));
let etcd: EtcdCluster;
let settings: BackupSettings;

beforeAll(async () => {
  etcd = await startEtcd(programs, 25020);
  await fill(etcd, 1, 1000);
  const tools = { etcd: await programPath("etcd"), etcdutl: await programPath("etcdutl") };
  settings = { encryption: { kind: "none" }, programs: tools } as never;
}, 120_000);
afterAll(() => programs.remove());

let count = 0;
/** A target with a directory of its own, and whatever a drill wants besides. */
function fresh(Target = DirectoryTarget) {
  const own = join(programs.directory, `case-${count++}`);
  const scratch = join(own, "scratch");
  mkdirSync(scratch, { recursive: true });
  const of = (deployment: string) =>
    new JournaledTarget(
      new Target({ directory: join(own, deployment) }),
      new Journal(own),
      new AbortController().signal,
    );
  const target = of("prod");
  target.parts.set("prod.events", of("prod.events"));
  const save = async (deployment: string, more: object = {}) => {
    const into = deployment === "prod" ? target : target.parts.get(deployment)!;
    const read = (path: string) => readFileSync(path, "utf8");
    const { ca, certificate, key } = etcd.files;
    return saveSnapshot({
      source: {
        endpoints: etcd.endpoints,
        connection: { ca: read(ca), certificate: read(certificate), key: read(key) },
      },
      target: into,
      deployment,
      reason: "on-demand",
      keyPrefix: "/registry",
      verify: "sha",
      scratch,
      ...more,
    });
  };
  return { own, scratch, target, save };
}

test("what belongs to a snapshot is restored with it, and one whose part is lost or damaged is not whole", async () => {
  const { own, scratch, target, save } = fresh();
  const saveWhole = async () => {
    const { id, sha256, file } = await save("prod.events");
    const takenParts = [{ name: "events", deployment: "prod.events", id, sha256 }];
    return { ...(await save("prod", { takenParts })), part: join(own, "prod.events", file) };
  };
  const [first, second, third] = [await saveWhole(), await saveWhole(), await saveWhole()];
  const bytes = readFileSync(second.part);
  bytes[5000]! ^= 1;
  writeFileSync(second.part, bytes);
  rmSync(third.part);

  const { id, keys, problem } = await runDrill(settings, target, scratch, third.id);
  expect({ id, keys }).toEqual({ id: first.id, keys: 1 });
  expect(problem?.split("; ")).toEqual([
    `file://${third.part}: it is damaged: its data are missing, and ${third.id} is not whole without it`,
    expect.stringContaining(`file://${second.part}: `),
  ]);
  const levels = (deployment: string) => manifestsIn(join(own, deployment)).map(({ verified }) => verified.level);
  for (const deployment of ["prod", "prod.events"]) {
    expect(levels(deployment).toSorted()).toEqual(["restore", "sha", "sha"]);
  }
}, 120_000);

/** Somebody else removes what is read, while it is read. */
class Removed extends DirectoryTarget {
  override async get(file: string): Promise<Readable> {
    const content = await super.get(file);
    await this.remove(file.replace(".db", ""));
    return content;
  }
  override path(): never {
    return undefined as never;
  }
}

test("nothing is left of a snapshot that is removed while it is restored on trial", async () => {
  const { own, scratch, target, save } = fresh(Removed);
  await save("prod");
  expect(await runDrill(settings, target, scratch)).toEqual({
    seconds: expect.any(Number),
    problem: `file://${own}/prod: there is no snapshot to restore`,
    isUnjudged: true,
  });
  expect(readdirSync(join(own, "prod"))).toEqual([]);
}, 60_000);
