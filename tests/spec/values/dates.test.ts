import { problemsOf, simulated } from "../configuration.ts";

/** What pulumi hands over for `2026-01-01` without quotes. */
const date = "2026-01-01 00:00:00 +0000 UTC";

test("a date without quotes is refused, of which pulumi would make another text, and one in quotes is not", () => {
  const flags = (value: string) => ({ controlPlane: { "kube-apiserver": { extraArgs: { "audit-log-path": value } } } });
  expect(problemsOf(flags("2026-01-01"))).toEqual([]);
  expect(problemsOf(flags(date))).toEqual([
    "controlPlane.kube-apiserver.extraArgs.audit-log-path: got a date without quotes, of which pulumi makes another text, want it in quotes",
  ]);
});

test("an unquoted date in a field that is wrong anyway is reported once, by the field's own problem", () => {
  expect(problemsOf({ members: [{ ...simulated("paris"), labels: { since: date } }] })).toEqual([
    `members[0].labels.since: got "${date}", want a label value: text of at most 63 letters, digits, '-', '_' and '.', in quotes`,
  ]);
});

test("rotate may be an unquoted date: any new value counts there", () => {
  expect(problemsOf({ members: [{ ...simulated("paris"), rotate: date }] })).toEqual([]);
});
