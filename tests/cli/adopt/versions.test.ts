import { chooseVersions } from "../../../cli/adopt/versions.ts";

const images = (karmada: string, kubernetes: string, etcd: string) => ({ karmada, kubernetes, etcd });
const chosen = (...of: Parameters<typeof images>) => chooseVersions(images(...of));

test("versions that are installed here are kept without a word", () => {
  expect(chosen("k:v1.17.1", "a:v1.34.3", "e:v3.6.8")).toEqual({
    versions: { karmada: "1.17.1", kubernetes: "1.34.3", etcd: "3.6.8" },
    notes: [],
  });
});

test("of others the nearest is taken, and it is said", () => {
  expect(chosen("k:v1.18.0", "a:v1.35.2", "e:3.5.16-0")).toEqual({
    versions: { karmada: "1.18.2", kubernetes: "1.35.3", etcd: "3.5.35" },
    notes: [
      "karmada 1.18.0 is not installed here; the nearest is 1.18.2",
      "etcd 3.5.16 is not installed here; the nearest is 3.5.35",
      "kubernetes 1.35.2 is not installed here; the nearest is 1.35.3",
    ],
  });
  expect(chosen("k:latest", "a:v1.30.0", "e:v3.6.6").notes).toEqual([
    "k:latest does not say its version; taken for 1.18.2: correct versions.karmada",
    "kubernetes 1.30.0 is not installed here; the nearest is 1.34.3",
  ]);
});

test("data of a newer etcd cannot go back", () => {
  expect(() => chosen("k:v1.18.2", "a:v1.35.3", "e:v3.7.0")).toThrow(
    "etcd 3.7.0: is newer than any here (3.6.6, 3.6.16, 3.6.8, 3.5.35), and its data cannot go back",
  );
});
