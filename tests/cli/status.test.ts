/** `npm run status` of a stack whose control plane is a server of this test; the pulumi is a script that knows its outputs. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";
import { scriptedPulumi } from "../support/scripted-pulumi.ts";

let directory: string;
let env: NodeJS.ProcessEnv;
let asked = 0;
let answers = Infinity;
let items: object[] = [];
const plane = http.createServer((_, response) => {
  if (++asked > answers) return;
  response.setHeader("content-type", "application/json").end(JSON.stringify({ items }));
});

beforeAll(async () => {
  plane.listen(0, "127.0.0.1");
  await once(plane, "listening");
  directory = await mkdtemp(join(tmpdir(), "status-"));
  const kubeconfig = JSON.stringify({
    "current-context": "a",
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    clusters: [{ name: "a", cluster: { server: `http://127.0.0.1:${(plane.address() as AddressInfo).port}` } }],
    users: [{ name: "a", user: {} }],
  });
  await writeFile(join(directory, "outputs.json"), JSON.stringify({ kubeconfig }));
  env = await scriptedPulumi(
    directory,
    `case "$1 $2" in
  "stack ls") echo '[{"name":"watched"}]' ;;
  "stack output") cat '${directory}/outputs.json' ;;
esac
`,
  );
});
beforeEach(() => {
  asked = 0;
  answers = Infinity;
});
afterAll(async () => {
  plane.closeAllConnections();
  plane.close();
  await rm(directory, { recursive: true });
});

function status(...args: string[]) {
  const cwd = join(import.meta.dirname, "../..");
  const child = spawn(process.execPath, ["cli/status.ts", "--stack", "watched", "--json", ...args], { cwd, env });
  return { child, ended: once(child, "exit").then(([code]) => code as number) };
}

/** Each look asks for the Clusters and their Secrets. */
const looked = (times: number) =>
  waitFor("looks", deadlineIn(30), async () => (asked >= 2 * times ? true : new Pending(`${asked} questions`)));

test("without --watch it ends by itself", async () => {
  const { ended } = status();
  expect(await ended).toBe(0);
  expect(asked).toBe(2);
});

test.each([
  ["between two looks", Infinity],
  ["while it looks", 2],
])("with --watch it ends at once with 130 when it is interrupted %s, without another look", async (_, answered) => {
  answers = answered;
  const { child, ended } = status("--watch");
  if (answered === Infinity) await once(child.stdout, "data");
  else await looked(2);
  const [began, before] = [performance.now(), asked];
  child.kill("SIGINT");
  expect(await ended).toBe(130);
  expect(performance.now() - began).toBeLessThan(1500);
  expect(asked).toBe(before);
});

test("with --watch it ends with what it saw last when nobody reads on what it prints", async () => {
  const { child, ended } = status("--watch");
  await once(child.stdout, "data");
  child.stdout.destroy();
  items = [{ metadata: { name: "oslo" } }]; // which is something else to print
  expect(await ended).toBe(1);
});
