import { createCipheriv, pbkdf2Sync, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ownPassphrase, passphraseFile } from "../../../toolchain/pulumi/backend.ts";
import { wrongPassphrase } from "../../../toolchain/pulumi/wrong-passphrase.ts";

let project: string;

beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), "wrong-passphrase-"));
  await writeFile(join(project, "Pulumi.dev.yaml"), "config: {}\n");
});
afterEach(() => rm(project, { recursive: true }));

/** Written by pulumi 3.259.0 with the passphrase `right`. */
const byPulumi = "v1:+kHEwNahyVo=:v1:CSvi2NB4AtsuIFlA:bMVF9po+SR2sjOeCHIfb6FGXA9+O4Q==";
const encrypted = (stack: string, salt = byPulumi) =>
  writeFile(join(project, `Pulumi.${stack}.yaml`), `encryptionsalt: ${salt}\nconfig: {}\n`);

test.each([
  ["right", ["up", "--stack", "prod"]],
  ["wrong", ["up", "--stack", "dev"]],
])("%s is nothing to tell of with %j", async (passphrase, args) => {
  await encrypted("prod");
  expect(await wrongPassphrase({ PULUMI_CONFIG_PASSPHRASE: passphrase }, project, args)).toBeUndefined();
});

test.each([
  ["PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE, which is set"],
  ["PULUMI_CONFIG_PASSPHRASE_FILE", "PULUMI_CONFIG_PASSPHRASE_FILE, which is set to other"],
])("%s that does not open a stack file is named", async (name, said) => {
  await encrypted("prod");
  await writeFile(join(project, "other"), "wrong\n");
  for (const args of [["up"], ["up", "--stack", "me/karmada/prod"], ["up", "-s", "prod"], ["up", "--stack=prod"]])
    expect(await wrongPassphrase({ [name]: "other" }, project, args)).toBe(
      `Pulumi.prod.yaml: encrypted with another passphrase than that of ${said}; put its own there`,
    );
  await writeFile(join(project, "other"), "right\n");
  expect(await wrongPassphrase({ [name]: name.endsWith("FILE") ? "other" : "right" }, project, [])).toBeUndefined();
});

test("that of the checkout is named where it is the one", async () => {
  await mkdir(dirname(ownPassphrase), { recursive: true, mode: 0o700 });
  await passphraseFile(ownPassphrase, project);
  await encrypted("prod", sealedWith((await readFile(ownPassphrase, "utf8")).trim()));
  const wanted =
    "Pulumi.prod.yaml: encrypted with another passphrase than that of PULUMI_CONFIG_PASSPHRASE, which is set; " +
    `take the one of this checkout: unset PULUMI_CONFIG_PASSPHRASE; export PULUMI_CONFIG_PASSPHRASE_FILE=${ownPassphrase}`;
  expect(await wrongPassphrase({ PULUMI_CONFIG_PASSPHRASE: "" }, project, [])).toBe(wanted);
  expect(await wrongPassphrase({ PULUMI_CONFIG_PASSPHRASE_FILE: ownPassphrase }, project, [])).toBeUndefined();
});

/** As pulumi writes it. */
function sealedWith(passphrase: string): string {
  const [salt, nonce] = [randomBytes(8), randomBytes(12)];
  const cipher = createCipheriv("aes-256-gcm", pbkdf2Sync(passphrase, salt, 1_000_000, 32, "sha256"), nonce);
  const sealed = Buffer.concat([cipher.update("pulumi"), cipher.final(), cipher.getAuthTag()]);
  return `v1:${salt.toString("base64")}:v1:${nonce.toString("base64")}:${sealed.toString("base64")}`;
}
