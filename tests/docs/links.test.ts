import { existsSync } from "node:fs";
import { join, normalize } from "node:path";
import { anchorOf } from "../../cli/docs/anchor.ts";
import { documents, repositoryFiles, root, snippetsOf, textOf } from "../support/documents.ts";

test("the anchor of a heading is the one GitHub gives it", () => {
  expect(anchorOf("A: to other hosts, or another data centre")).toBe("#a-to-other-hosts-or-another-data-centre");
  expect(anchorOf("`placement.kind: hosts`")).toBe("#placementkind-hosts");
  expect(anchorOf("The host's own_name")).toBe("#the-hosts-own_name");
});

test.each(documents)("every link of %s leads somewhere", (document) => {
  expect(linksOf(document).filter((link) => !leadsSomewhere(document, link))).toEqual([]);
});

test("a link that leads nowhere is found", () => {
  expect(leadsSomewhere("README.md", "docs/recovery.md#a-host-is-lost")).toBe(true);
  expect(leadsSomewhere("docs/etcd.md", "../README.md#start")).toBe(true);
  for (const link of ["docs/recovery.md#nothing-is-lost", "docs/nothing.md", "#nothing", "../README.md"])
    expect([link, leadsSomewhere("README.md", link)]).toEqual([link, false]);
});

test("every page of docs/ is among their list, and the list is linked from the README", () => {
  const pages = documents.filter((path) => path.startsWith("docs/") && path !== "docs/README.md");
  expect(pages.length).toBeGreaterThan(10);
  const listed = linksOf("docs/README.md").map((link) => normalize(join("docs", link)));
  expect(pages.filter((page) => !listed.includes(page))).toEqual([]);
  expect(linksOf("README.md")).toContain("docs/README.md");
});

test("every page that code or messages speak of is there", () => {
  const spokenOf = repositoryFiles
    .filter((path) => /\.(ts|yaml|yml|json)$/.test(path) && !path.startsWith("tests/"))
    .flatMap((path) => textOf(path).match(/\bdocs\/[a-z-]+\.md\b/g) ?? []);
  expect(spokenOf).toContain("docs/recovery.md");
  expect(spokenOf.filter((page) => !documents.includes(page))).toEqual([]);
});

test("every `npm run` of the documents is a script of the package", () => {
  const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
  const named = documents.flatMap((path) =>
    [...textOf(path).matchAll(/npm run (?:-s )?([a-z]+)/g)].map(([, name]) => name!),
  );
  expect(named).toContain("status");
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

/** Links within the repository, as they are written. */
function linksOf(document: string): string[] {
  const prose = snippetsOf(document).reduce((text, snippet) => text.replace(snippet.text, ""), textOf(document));
  const links = [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, link]) => link!);
  return links.filter((link) => !/^[a-z]+:/.test(link));
}

function leadsSomewhere(document: string, link: string): boolean {
  const [path, anchor] = link.split("#");
  const target = path === "" ? document : normalize(join(document, "..", path!));
  if (target.startsWith("..") || !existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsOf(target).has(`#${anchor}`);
}

/** Where links to the headings of a document lead; one that is there again gets a number. */
function anchorsOf(document: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const prose = snippetsOf(document).reduce((text, snippet) => text.replace(snippet.text, ""), textOf(document));
  for (const [, heading] of prose.matchAll(/^#+ (.+)$/gm)) {
    const first = anchorOf(heading!);
    let anchor = first;
    for (let again = 1; anchors.has(anchor); again++) anchor = `${first}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}
