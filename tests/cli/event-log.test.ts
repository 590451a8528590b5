import { saysWhatStays } from "../../cli/stack/event-log.ts";

const event = (message: string) => JSON.stringify({ sequence: 1, diagnosticEvent: { message, color: "never" } });

test("what a provider warned of that stays is found among the events of a destroy", () => {
  const warning = event(
    "warning: host3 (10.0.0.13): cannot be reached: no answer\nwhat this deployment has there stays\n",
  );
  expect(saysWhatStays(`${event("gone")}\n${warning}\n`)).toBe(true);
  expect(saysWhatStays(event("paris: service account x stays in the member: no answer"))).toBe(true);
});

test("no event, one that says something else, and one that was cut off say nothing of that", () => {
  const other = JSON.stringify({ resourcePreEvent: { metadata: { urn: "urn:what-stays" } } });
  expect(saysWhatStays("")).toBe(false);
  expect(
    saysWhatStays(`${event("host3: does not answer; waiting 120 s for it")}\n${other}\n{"diagnosticEvent":{"mess`),
  ).toBe(false);
});
