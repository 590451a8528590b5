import { stringify } from "yaml";
import { resolve } from "../../../spec/resolve.ts";
import { context, problemsOf, simulated } from "../configuration.ts";

const kubeconfig = (server: string) =>
  stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server } }],
    users: [{ name: "u", user: { token: "t0ken" } }],
  });
const directories = { clusters: { files: ["paris.yaml", "rome.kubeconfig"] } };
const files = {
  "clusters/paris.yaml": { text: kubeconfig("https://paris.example.org:6443") },
  "clusters/rome.kubeconfig": { text: kubeconfig("https://rome.example.org:6443") },
};

const eu = {
  name: "eu",
  defaults: { region: "eu", labels: { tier: "gold", site: "eu" }, zones: ["a"] },
  members: [simulated("berlin", { labels: { tier: "silver" }, zones: [] }), simulated("madrid")],
};

describe("groups of members", () => {
  test("their members come behind the others, with what their group gives where they give nothing", () => {
    const { members } = resolve({ members: [simulated("first")], memberGroups: [eu] }, context);
    expect(members.map(({ name, region, zones, labels }) => ({ name, region, zones, labels }))).toEqual([
      { name: "first", region: undefined, zones: [], labels: {} },
      { name: "berlin", region: "eu", zones: [], labels: { tier: "silver", site: "eu" } },
      { name: "madrid", region: "eu", zones: ["a"], labels: { tier: "gold", site: "eu" } },
    ]);
  });

  test("each file of a directory is a member, and one that is listed too has what is listed", () => {
    const group = {
      name: "eu",
      directory: "clusters",
      defaults: { region: "eu" },
      members: [{ name: "rome", region: "it" }],
    };
    const { members } = resolve({ memberGroups: [group] }, { ...context, directories, files });
    expect(members.map(({ name, region, credentials }) => ({ name, region, credentials }))).toMatchObject([
      { name: "rome", region: "it", credentials: { kind: "kubeconfig", server: "https://rome.example.org:6443" } },
      { name: "paris", region: "eu", credentials: { kind: "kubeconfig", server: "https://paris.example.org:6443" } },
    ]);
  });

  test("what is wrong is named where it was typed", () => {
    const members = [{ name: "berlin" }, simulated("Berlin2", { syncmode: "Pull" })];
    expect(problemsOf({ memberGroups: [{ name: "eu", defaults: { syncMode: "Posh" }, members }] })).toEqual([
      'memberGroups[0].defaults.syncMode: got "Posh", want "Push", "Pull" or "auto"',
      expect.stringContaining('memberGroups[0].members[1].name: got "Berlin2"'),
      'memberGroups[0].members[1].syncmode: unknown key, did you mean "syncMode"?',
    ]);
    const second = { name: "asia", members: [simulated("berlin"), { name: "tokyo" }, simulated("seoul")] };
    const unnamed = { name: "us", defaults: { syncMode: "auto" }, members: [simulated("Seoul".toLowerCase())] };
    expect(problemsOf({ members: [simulated("first")], memberGroups: [eu, second, unnamed] })).toEqual([
      "memberGroups[1].members[1].credentials: missing, want an object with a kind",
      'memberGroups[1].members[0].name: got "berlin", want another name: memberGroups[0].members[0] has it (case does not count)',
      'memberGroups[2].members[0].name: got "seoul", want another name: memberGroups[1].members[2] has it (case does not count)',
    ]);
  });

  test("what follows from a default is said of each member that lacks something for it", () => {
    const defaults = { syncMode: "auto" };
    const members = ["paris", "rome"].map((name) => ({ name }));
    const group = { name: "eu", directory: "clusters", defaults, members };
    expect(problemsOf({ memberGroups: [group], controlPlane: { networks: ["dc"] } }, { directories, files })).toEqual([
      'memberGroups[0].members[0].networks: missing, want the internal networks of the cluster: syncMode "auto" follows from them',
      'memberGroups[0].members[1].networks: missing, want the internal networks of the cluster: syncMode "auto" follows from them',
    ]);
  });

  test("two files of a directory that give one name are two members of one name, listed or not", () => {
    const twice = { clusters: { files: ["rome", "rome.kubeconfig", "rome.yaml"] } };
    const text = { text: kubeconfig("https://rome.example.org:6443") };
    const read = Object.fromEntries(twice.clusters.files.map((file) => [`clusters/${file}`, text]));
    const problems = (members: object[]) =>
      problemsOf(
        { memberGroups: [{ name: "eu", directory: "clusters", members }] },
        { directories: twice, files: read },
      );
    const again = (file: string, place: string) =>
      `memberGroups[0].directory: ${file}: got "rome", want another name: memberGroups[0].${place} has it (case does not count)`;
    expect(problems([])).toEqual([again("rome.kubeconfig", "directory"), again("rome.yaml", "directory")]);
    expect(problems([{ name: "rome" }])).toEqual([
      again("rome.kubeconfig", "members[0]"),
      again("rome.yaml", "members[0]"),
    ]);
  });

  test("a directory is named with the file that is wrong in it", () => {
    const group = { name: "eu", directory: "clusters" };
    expect(
      problemsOf(
        { memberGroups: [group] },
        {
          directories: { clusters: { files: ["Paris.yaml", "rome"] } },
          files: { ...files, "clusters/rome": { text: "{" } },
        },
      ),
    ).toEqual([expect.stringMatching(/^memberGroups\[0\].directory: Paris.yaml: got "Paris", want/)]);
    expect(
      problemsOf(
        { memberGroups: [group] },
        { directories: { clusters: { files: ["rome"] } }, files: { "clusters/rome": { text: "{}" } } },
      ),
    ).toEqual([expect.stringMatching(/^memberGroups\[0\].directory: rome: /)]);
    const error = 'got "clusters", but there is no such directory: /project/clusters';
    expect(problemsOf({ memberGroups: [group] }, { directories: { clusters: { error } } })).toEqual([
      `memberGroups[0].directory: ${error}`,
    ]);
    expect(problemsOf({ memberGroups: [group] }, { directories: { clusters: { files: [] } } })).toEqual([
      'memberGroups[0].directory: got "clusters", which has no file, want kubeconfigs',
    ]);
  });
});
