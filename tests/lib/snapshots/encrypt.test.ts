import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { decrypted, encrypted, encryptedBytes } from "../../../lib/snapshots/encrypt.ts";

const key = randomBytes(32);
const frame = 2 ** 20;

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer, void> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

async function joined(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of content) all.push(piece);
  return Buffer.concat(all);
}

const seal = (plain: Buffer, size = 70_000) => joined(encrypted(pieces(plain, size), key));
const open = (sealed: Buffer, with_ = key, size = 70_000) => joined(decrypted(pieces(sealed, size), with_));

test.each([0, 1, frame - 1, frame, frame + 1, 2 * frame, 2 * frame + 12_345])(
  "%p bytes come back as they were, whatever pieces they come in",
  async (length) => {
    const plain = randomBytes(length);
    const sealed = await seal(plain);
    expect(sealed.length).toBe(encryptedBytes(length));
    for (const size of [1000, 65_536, 3 * frame]) expect((await open(sealed, key, size)).equals(plain)).toBe(true);
  },
);

test("the same data never look the same twice", async () => {
  const plain = Buffer.alloc(100);
  expect((await seal(plain)).equals(await seal(plain))).toBe(false);
});

test("any flipped bit is found", async () => {
  const sealed = await seal(randomBytes(frame + 500));
  await fc.assert(
    fc.asyncProperty(fc.nat(sealed.length - 1), fc.nat(7), async (at, bit) => {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1 << bit;
      await expect(open(changed)).rejects.toThrow(/^(decrypting, at byte|it is not an encrypted snapshot)/);
    }),
    { numRuns: 40 },
  );
});

test("a cut is found, also between two frames", async () => {
  const sealed = await seal(randomBytes(3 * frame));
  for (const length of [0, 10, 48, 48 + frame + 16, 48 + 2 * (frame + 16), sealed.length - 16, sealed.length - 1])
    await expect(open(sealed.subarray(0, length))).rejects.toThrow(
      /it was damaged or cut off|its beginning was|is not/,
    );
});

test("frames that changed places, and bytes behind the end, are found", async () => {
  const sealed = await seal(randomBytes(2 * frame + 5));
  const [header, one, two, rest] = [
    sealed.subarray(0, 48),
    sealed.subarray(48, 48 + frame + 16),
    sealed.subarray(48 + frame + 16, 48 + 2 * (frame + 16)),
    sealed.subarray(48 + 2 * (frame + 16)),
  ];
  await expect(open(Buffer.concat([header, two, one, rest]))).rejects.toThrow("decrypting, at byte 0");
  await expect(open(Buffer.concat([sealed, Buffer.alloc(1)]))).rejects.toThrow(`decrypting, at byte ${2 * frame}`);
});

test("with another key nothing comes out", async () => {
  await expect(open(await seal(Buffer.from("secret")), randomBytes(32))).rejects.toThrow(
    "decrypting, at byte 0: the key is another one, or its beginning was damaged",
  );
});
