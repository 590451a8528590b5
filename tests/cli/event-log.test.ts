import { saysWhatIsLeft } from "../../cli/stack/event-log.ts";
import { leftBehind } from "../../lib/left-behind.ts";

const event = (message: string) => JSON.stringify({ sequence: 1, diagnosticEvent: { message, color: "never" } });

test("what a provider warned of that is left is found among the events of a destroy", () => {
  const warning = event(`warning: host3 (10.0.0.13): cannot be reached: no answer\n${leftBehind("its units")}\n`);
  expect(saysWhatIsLeft(`${event("gone")}\n${warning}\n`)).toBe(true);
});

test("no event, one that says something else, and one that was cut off say nothing of that", () => {
  const other = JSON.stringify({ resourcePreEvent: { metadata: { urn: leftBehind("a name") } } });
  // What others use of a member is not what nobody could remove.
  const shared = event("m1: namespace karmada-cluster stays: it holds service account others");
  expect(saysWhatIsLeft("")).toBe(false);
  expect(saysWhatIsLeft(`${shared}\n${other}\n{"diagnosticEvent":{"mess`)).toBe(false);
});
