import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeLogs, rotate } from "../../../lib/supervisor/rotation.ts";
import { canMount, mountTmpfs } from "../../support/mount.ts";

let directory: string;
let log: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "rotation-"));
  log = join(directory, "a.log");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const limits = { bytes: 4, generations: 2 };

it("a log below the limit is left alone", () => {
  writeFileSync(log, "123");
  expect(rotate(log, limits)).toBe(false);
  expect(readdirSync(directory)).toEqual(["a.log"]);
});

it("a log that is not there is left alone", () => {
  expect(rotate(log, limits)).toBe(false);
});

it("older logs move on and the oldest goes, the file that is written to stays the same", () => {
  writeFileSync(log, "", { mode: 0o600 });
  const { ino } = statSync(log);
  for (const text of ["one.", "two.", "three", "four."]) {
    appendFileSync(log, text);
    expect(rotate(log, limits)).toBe(true);
  }
  expect(readFileSync(log, "utf8")).toBe("");
  expect(readFileSync(`${log}.1`, "utf8")).toBe("four.");
  expect(readFileSync(`${log}.2`, "utf8")).toBe("three");
  expect(readdirSync(directory)).toHaveLength(3);
  expect(statSync(log).ino).toBe(ino);
  expect(statSync(`${log}.1`).mode & 0o777).toBe(0o600);
});

(canMount ? it : it.skip)("on a full disk older logs stay as they are", async () => {
  const unmount = await mountTmpfs(directory, "64k");
  try {
    writeFileSync(log, Buffer.alloc(40_000));
    writeFileSync(`${log}.1`, "one.");
    for (let tick = 0; tick < 3; tick++) expect(() => rotate(log, limits)).toThrow("ENOSPC");
    expect(readdirSync(directory).sort()).toEqual(["a.log", "a.log.1"]);
    expect(readFileSync(`${log}.1`, "utf8")).toBe("one.");
  } finally {
    await unmount();
  }
});

it("removing takes every generation along", () => {
  for (const name of ["", ".new", ".1", ".2", ".3"]) writeFileSync(`${log}${name}`, "x");
  removeLogs(log);
  expect(readdirSync(directory)).toEqual([]);
});
