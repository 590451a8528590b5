/** What `npm run destroy` asks before pulumi is called, which is a script that notes its arguments. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { isHarmlessToDestroy } from "../../cli/stack/harmless.ts";
import { scriptedPulumi } from "../support/scripted-pulumi.ts";

describe("npm run destroy of a stack that may hold something", () => {
  let directory: string;
  let env: NodeJS.ProcessEnv;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "destroy-"));
    env = await scriptedPulumi(
      directory,
      `echo "$1 $2" >> '${directory}/called'
[ "$1 $2" = "stack ls" ] && echo '[{"name":"held"}]'
[ "$1 $2" = "stack export" ] && cat '${directory}/state'
exit 0
`,
    );
  });
  beforeEach(() => state({ urn: "urn:held-key" }, { urn: "urn:held-membership", protect: false }));
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const root = join(import.meta.dirname, "../..");
  const options = () => ({ cwd: root, env, preferLocal: true, reject: false }) as const;
  const state = (...resources: object[]) =>
    writeFile(join(directory, "state"), JSON.stringify({ version: 3, deployment: { resources } }));
  const called = () => readFile(join(directory, "called"), "utf8");
  // On Debian of the package bsdutils, which is essential: runs a command at a terminal of its own.
  const atTerminal = (answer: string) =>
    execa("script", ["-qec", "node cli/destroy.ts --stack held", "/dev/null"], { ...options(), input: answer });

  test("is refused where there is nobody to ask", async () => {
    const { exitCode, stderr } = await execa("node", ["cli/destroy.ts", "--stack", "held"], options());
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `npm run destroy: stack held: members leave, with what was propagated to them, every program stops, all data are deleted; remove it?
there is nobody to ask, say so with --yes`,
    );
    expect(await called()).toBe("stack ls\nstack export\n");
  });

  test("asks nothing with --yes", async () => {
    await execa("node", ["cli/destroy.ts", "--stack", "held", "--yes"], options());
    expect(await called()).toMatch(/^stack ls\nstack export\ndestroy --yes\nstack rm\n/);
  });

  test("is refused, whatever is said, where some of it is protected, unless that is to be left out", async () => {
    await state({ urn: "urn:held-key" }, { urn: "urn:held-membership", protect: true });
    const destroy = (...args: string[]) =>
      execa("node", ["cli/destroy.ts", "--stack", "held", "--yes", ...args], options());
    const { exitCode, stderr } = await destroy();
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `npm run destroy: stack held: nothing is removed, since some of it is protected
  urn:held-membership
where that is by etcd.protect, take it out of the stack file and run up; else: npm run pulumi -- state unprotect URN --stack held`,
    );
    expect(await called()).toBe("stack ls\nstack export\n");
    await destroy("--", "--exclude-protected");
    expect(await called()).toContain("destroy --yes\n");
  });

  test("removes nothing unless the answer at the terminal is yes", async () => {
    const { exitCode, stdout } = await atTerminal("\n");
    expect(stdout).toContain("remove it? [y/N]");
    expect(stdout).toContain("npm run destroy: stack held is as it was");
    expect(exitCode).toBe(1);
    expect(await called()).toBe("stack ls\nstack export\n");
    await atTerminal("y\n");
    expect(await called()).toContain("destroy --yes\n");
  });
});

test.each([
  ["the walkthrough's, with simulated members", { members: [{ credentials: { kind: "simulated" } }] }, true],
  ["one without members on this machine", {}, true],
  ["one with a cluster of somebody's", { members: [{ credentials: { kind: "kubeconfigFile" } }] }, false],
  ["one of a group of clusters", { memberGroups: [{ name: "edge", members: [{ name: "a" }] }] }, false],
  ["one whose members are encrypted as a whole", { members: { secure: "v1:x" } }, false],
  ["one on hosts", { placement: { kind: "hosts" } }, false],
  ["one in a host cluster", { placement: { kind: "kubernetes" } }, false],
  ["a team's, of members alone", { program: "members" }, false],
  ["one that lets go of what it took over", { program: "adopted", placement: { kind: "kubernetes" } }, true],
  ["an etcd that others may use, on this machine too", { program: "etcd" }, false],
  ["one that only takes snapshots", { program: "snapshots" }, true],
])("whether a stack can be destroyed without asking: %s", (_, typed, harmless) => {
  const config = Object.fromEntries(Object.entries(typed).map(([key, value]) => [`karmada:${key}`, value]));
  expect(isHarmlessToDestroy(config, "/")).toBe(harmless);
});
