import { knownOutputs } from "../../cli/stack/known-outputs.ts";

/** As pulumi prints it of an `up --target` that left out a new member. */
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

test("outputs that a targeted up left without a value are named, and what gives them one", () => {
  const outputs = { endpoint: "https://127.0.0.1:24000", members: unknown, monitoring: { key: unknown } };
  expect(() => knownOutputs("prod", outputs)).toThrow(
    "stack prod: outputs without a value since an up of a part of it (--target, --exclude): members, monitoring; npm start -- --stack prod goes on with the rest",
  );
});

test("outputs that all have a value are returned as they are", () => {
  const outputs = { endpoint: "https://127.0.0.1:24000", members: [] };
  expect(knownOutputs("prod", outputs)).toBe(outputs);
});
