import { bytes, seconds } from "../../spec/units.ts";

test("durations are counted in seconds", () => {
  expect([seconds("30s"), seconds("10m"), seconds("720h")]).toEqual([30, 600, 2_592_000]);
});

test("sizes are counted in bytes", () => {
  expect([bytes("512Mi"), bytes("8Gi")]).toEqual([536_870_912, 8_589_934_592]);
});
