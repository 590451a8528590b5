import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Artifact } from "../../../toolchain/index.ts";
import { checkout } from "../../../toolchain/pulumi/checkout.ts";
import { standIn } from "../../../toolchain/pulumi/stand-in.ts";

test("a pulumi that cannot be put into its directory leaves no other one behind", async () => {
  const content = `unreadable${process.pid}`;
  const artifact = { path: join(import.meta.dirname, "none", "pulumi"), content } as Artifact;
  await expect(standIn(process.env, artifact)).rejects.toMatchObject({ code: "ENOENT" });
  const left = await readdir(join(checkout, ".pulumi", "cli")).catch(() => []);
  expect(left.filter((name) => name.startsWith(content.slice(0, 16)))).toEqual([]);
});
