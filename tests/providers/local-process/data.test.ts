import { checkData } from "../../../providers/local-process/data.ts";

const written = (dataVersion?: string, directory = "/srv/karmada") => ({
  directory,
  name: "simulated-etcd",
  ...(dataVersion !== undefined && { dataVersion }),
});
const reasons = (then: object | undefined, now: object) =>
  checkData(now, then === undefined ? {} : { inputs: then }).map(({ reason }) => reason);

test("an older minor version than that of the data is refused, with the way out", () => {
  expect(reasons(written("3.6.6"), written("3.5.35"))).toEqual([
    "simulated-etcd: 3.6.6 is there, and nobody promises that 3.5.35 reads what it has written\n" +
      "stay at 3.6.6, or take away first what has its data there",
  ]);
});

test.each([
  ["patches", written("3.6.16"), written("3.6.6")],
  ["the next minor version", written("3.5.35"), written("3.6.6")],
  ["a new process", undefined, written("3.5.35")],
  ["one in another directory, where it has no data", written("3.6.6", "/srv/other"), written("3.5.35")],
  ["what an older release has noted no version of", written(), written("3.5.35")],
  ["what is not known yet", written("3.6.6"), {}],
])("goes on with %s", (_, then, now) => {
  expect(reasons(then, now)).toEqual([]);
});
