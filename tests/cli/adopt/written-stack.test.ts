import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refuseOther } from "../../../cli/adopt/written-stack.ts";

const root = mkdtempSync(join(tmpdir(), "written-"));
const file = join(root, "Pulumi.prod.yaml");
const snapshot = join(root, ".karmada/prod/adopted.db");
afterAll(() => rmSync(root, { recursive: true }));

const restoring = (path: string) =>
  writeFileSync(
    file,
    `config:\n  karmada:etcd: { kind: managed, restore: { source: { kind: file, path: ${path} } } }\n`,
  );
const want =
  ", and the stack would not go on from what is fenced; name the one that was written for it with --stack, or have it written first, without --fence";

test("a plane is fenced only for a stack that goes on from its snapshot", async () => {
  await expect(refuseOther(root, "prod", snapshot)).rejects.toThrow(`${file}: there is no such file${want}`);
  writeFileSync(file, "config:\n  karmada:sample: true\n");
  await expect(refuseOther(root, "prod", snapshot)).rejects.toThrow(`${file}: it does not restore ${snapshot}${want}`);
  restoring("/backup/x.db");
  await expect(refuseOther(root, "prod", snapshot)).rejects.toThrow(`it does not restore ${snapshot}`);
  restoring(snapshot);
  await expect(refuseOther(root, "prod", snapshot)).resolves.toBeUndefined();
  restoring("./.karmada/prod/adopted.db");
  await expect(refuseOther(root, "prod", snapshot)).resolves.toBeUndefined();
});
