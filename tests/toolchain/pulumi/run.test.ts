/** `npm run pulumi` as a process: streams, exit codes and signals pass through. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { execa } from "execa";
import { requiredPlugins } from "../../../toolchain/pulumi/plugins.ts";

const main = join(import.meta.dirname, "../../../toolchain/pulumi/main.ts");
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "pulumi-run-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Puts an official pulumi that is this script on PATH, and its plugins in the user's home. */
async function installPulumi(script: string): Promise<void> {
  const bin = join(directory, "bin");
  await mkdir(bin);
  const files = {
    pulumi: `#!/bin/sh\n[ "$1" = version ] && echo v3.259.0 && exit 0\n${script}\n`,
    "pulumi-language-nodejs": "#!/bin/sh\n",
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(bin, name), text, { mode: 0o755 });
  for (const { name, version } of requiredPlugins()) {
    const plugin = join(directory, "home", ".pulumi", "plugins", `resource-${name}-v${version}`);
    await mkdir(plugin, { recursive: true });
    await writeFile(join(plugin, `pulumi-resource-${name}`), "", { mode: 0o755 });
  }
}

const environment = () => ({
  HOME: join(directory, "home"),
  PATH: `${join(directory, "bin")}${delimiter}${process.env["PATH"]}`,
});

function run(args: string[] = [], more: NodeJS.ProcessEnv = {}) {
  const env = { ...environment(), ...more };
  // Of a session of its own: a terminal that the tests are run at is none of it.
  return execa(process.execPath, [main, ...args], {
    env,
    cwd: directory,
    detached: true,
    reject: false,
    input: "typed",
  });
}

test("arguments, both streams and the exit code pass through; what runs is said on standard error", async () => {
  await installPulumi('printf "%s|" "$@"; cat; echo oops >&2; exit 7');
  const { exitCode, stdout, stderr } = await run(["up", "--message", "two words"]);
  expect(exitCode).toBe(7);
  expect(stdout).toBe("up|--message|two words|typed");
  expect(stderr.split("\n")).toEqual([
    `pulumi 3.259.0 and its official plugins (${join(directory, "bin", "pulumi")})`,
    "oops",
  ]);
});

test("a passphrase in the shell that the stack was not encrypted with is named once pulumi has failed by it", async () => {
  await installPulumi("echo 'error: incorrect passphrase' >&2; exit 255");
  const salt = "v1:+kHEwNahyVo=:v1:CSvi2NB4AtsuIFlA:bMVF9po+SR2sjOeCHIfb6FGXA9+O4Q==";
  await writeFile(join(directory, "Pulumi.prod.yaml"), `encryptionsalt: ${salt}\n`);
  const { exitCode, stderr } = await run(["up", "--stack", "prod"], { PULUMI_CONFIG_PASSPHRASE: "of another project" });
  expect(exitCode).toBe(255);
  expect(stderr.split("\n").slice(1)).toEqual([
    "error: incorrect passphrase",
    "pulumi: Pulumi.prod.yaml: encrypted with another passphrase than that of PULUMI_CONFIG_PASSPHRASE, which is set; put its own there",
  ]);
});

test("an end by a signal is told as a shell tells it", async () => {
  await installPulumi("kill -KILL $$");
  expect((await run()).exitCode).toBe(137);
});

test.each(["SIGINT", "SIGTERM"] as const)("%s reaches pulumi once, and its way of ending counts", async (signal) => {
  const name = signal.slice(3);
  const trap = `trap 'echo caught >> ${directory}/caught; exit 5' ${name}`;
  await installPulumi(`${trap}; echo > ${directory}/started; while :; do sleep 0.1; done`);
  const child = run();
  for (let i = 0; i < 200 && !existsSync(join(directory, "started")); i++) await sleep(100);
  child.kill(signal);
  expect((await child).exitCode).toBe(5);
  expect(await readFile(join(directory, "caught"), "utf8")).toBe("caught\n");
});

test("a Ctrl-C at a terminal reaches pulumi once, also where standard input comes from elsewhere", async () => {
  const { HOME, PATH } = environment();
  // A shell would count two that come at once as one.
  const counting = `
    process.on("SIGINT", () => fs.appendFileSync("${directory}/caught", "caught\\n"));
    fs.writeFileSync("${directory}/started", "");
    setTimeout(() => {}, 3000);`;
  await installPulumi(`exec '${process.execPath}' -e '${counting}'`);
  const line = `'${process.execPath}' '${main}' </dev/null`;
  const terminal = execa("script", ["-qec", line, "/dev/null"], {
    env: { HOME, PATH, SHELL: "/bin/sh" },
    reject: false,
  });
  for (let i = 0; i < 200 && !existsSync(join(directory, "started")); i++) await sleep(100);
  terminal.stdin.write("\x03");
  await terminal;
  expect(await readFile(join(directory, "caught"), "utf8")).toBe("caught\n");
});

test("a pulumi that is killed leaves a lock for the next run to clear away, one that ends by itself does not", async () => {
  const backend = join(directory, "backend");
  const locks = join(backend, ".pulumi/locks/organization/karmada/dev");
  await mkdir(locks, { recursive: true });
  const lock = `{\\"pid\\":$$,\\"hostname\\":\\"$(hostname)\\"}`;
  await installPulumi(`[ $# = 0 ] || echo "${lock}" > ${locks}/$1.json; [ "$1" != killed ] || kill -KILL $$`);
  const env = { PULUMI_BACKEND_URL: pathToFileURL(backend).href };
  await run(["ended"], env);
  await run(["killed"], env);
  expect((await run([], env)).stderr).toMatch(
    /^pulumi: removed the lock of process \d+, which is no more: .*killed\.json$/m,
  );
  expect(await readdir(locks)).toEqual(["ended.json"]);
});
