import fc from "fast-check";
import { encode, endOfPrefix } from "../../../lib/etcd/client.ts";

const bytes = (base64: string) => Buffer.from(base64, "base64");

test("the end of a prefix is just behind every key that begins with it", () => {
  expect(bytes(endOfPrefix("/karmada/")).toString()).toBe("/karmada0");
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string(), (prefix, rest) => {
      expect(Buffer.compare(bytes(encode(prefix + rest)), bytes(endOfPrefix(prefix)))).toBe(-1);
      expect(Buffer.compare(bytes(encode(prefix)), bytes(endOfPrefix(prefix)))).toBe(-1);
    }),
  );
});
