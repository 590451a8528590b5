import { join } from "node:path";
import { sha256, sha256OfFile } from "../../lib/sha256.ts";

it("a file that is not there has no digest, and one that is has the well-known one", () => {
  expect(sha256OfFile(join(import.meta.dirname, "none"))).toBeUndefined();
  expect(sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});
