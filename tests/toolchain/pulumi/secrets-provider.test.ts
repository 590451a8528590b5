import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withSecretsProvider } from "../../../toolchain/pulumi/secrets-provider.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "secrets-provider-"));
  await writeFile(join(directory, "Pulumi.prod.yaml"), "secretsprovider: awskms://alias/karmada\nconfig: {}\n");
  await writeFile(join(directory, "Pulumi.dev.yaml"), "config: {}\n");
});
afterEach(() => rm(directory, { recursive: true }));

test.each([
  ["stack", "init", "prod"],
  ["stack", "init", "organization/karmada/prod", "--non-interactive"],
  ["--non-interactive", "stack", "init", "--copy-config-from", "dev", "prod"],
  ["stack", "init", "-s", "prod"],
  ["stack", "init", "--stack=prod"],
  ["-v", "3", "stack", "init", "prod"],
])("%s %s %s %s %s %s makes the stack with the secrets provider of its file", async (...args) => {
  expect(await withSecretsProvider(args, directory)).toEqual([...args, "--secrets-provider=awskms://alias/karmada"]);
});

test.each([
  ["stack", "init", "prod", "--secrets-provider=passphrase"],
  ["stack", "init", "dev"],
  ["stack", "init", "not-written-yet"],
  ["stack", "init"],
  ["stack", "select", "prod"],
  ["up", "--stack", "prod"],
])("%s %s %s %s is left as it is", async (...args) => {
  expect(await withSecretsProvider(args, directory)).toEqual(args);
});

test("the file may have any number of aliases", async () => {
  const text = `secretsprovider: awskms://alias/karmada\nconfig:\n  a: &a { b: c }\n  d: [${"*a, ".repeat(150)}]\n`;
  await writeFile(join(directory, "Pulumi.many.yaml"), text);
  const args = ["stack", "init", "many"];
  expect(await withSecretsProvider(args, directory)).toEqual([...args, "--secrets-provider=awskms://alias/karmada"]);
});

test("the file is read where pulumi is told to run", async () => {
  for (const option of ["-C", "--cwd"])
    expect(await withSecretsProvider([option, directory, "stack", "init", "prod"], tmpdir())).toEqual([
      option,
      directory,
      "stack",
      "init",
      "prod",
      "--secrets-provider=awskms://alias/karmada",
    ]);
});
