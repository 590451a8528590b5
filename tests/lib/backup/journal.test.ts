import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Journal } from "../../../lib/backup/journal.ts";

const directory = mkdtempSync(join(tmpdir(), "journal-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** Buckets of the same name at two servers, and a directory. */
const uri = "s3://backup/prod";
const [first, second] = ["https://10.0.0.7", "https://10.0.0.8"].map((at) => ({ uri, name: `${uri}?endpoint=${at}` }));
const local = { uri: "file:///backup/prod", name: "file:///backup/prod" };
const all = [first!, second!, local];
const noted = (journal: Journal) => all.map((target) => journal.of(target));

test("what is done in a bucket says nothing about one of the same name at another server", () => {
  const journal = new Journal(directory);
  for (const target of all) journal.note(target, "a", true);
  journal.note(first!, "a", false);
  expect(noted(new Journal(directory))).toEqual([[], ["a"], ["a"]]);
});

test("what an earlier release has noted is looked for in every target that it may be in, and once", () => {
  const old = [
    { uri, id: "a" },
    { uri: local.uri, id: "b" },
    { uri: "file:///away/prod", id: "c" },
  ];
  writeFileSync(join(directory, "unfinished.json"), JSON.stringify(old));
  const journal = new Journal(directory);
  journal.adopt(all);
  expect(noted(journal)).toEqual([["a"], ["a"], ["b"]]);

  journal.note(first!, "a", false);
  journal.adopt(all);
  expect(noted(journal)).toEqual([[], ["a"], ["b"]]);
  const away = { uri: "file:///away/prod", name: "file:///away/prod" };
  journal.adopt([away]);
  expect(journal.of(away)).toEqual(["c"]);
});
