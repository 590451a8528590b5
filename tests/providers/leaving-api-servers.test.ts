import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { provider } from "../../providers/plane-versions-impl.ts";
import type { PlaneVersionsInputs } from "../../providers/plane-versions.ts";
import { createAuthority } from "../support/certificates.ts";
import { kubeconfigOf } from "../support/cluster.ts";

const open: http.Server[] = [];
const listening = async (scheme: "http" | "https", server: http.Server) => {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
afterAll(() => open.forEach((server) => server.close()));

const [ours, theirs] = await Promise.all([createAuthority("ours"), createAuthority("theirs")]);
const admin = await ours.issue({ commonName: "admin" });
const { certificate, key } = await theirs.issue({ commonName: "kube-apiserver", hosts: ["127.0.0.1"] });
const refusing: http.RequestListener = (_, response) => response.writeHead(403).end("no");
const stays = "https://10.0.0.1:5443";
const serving = await listening("http", http.createServer(refusing));
const others = await listening("https", https.createServer({ cert: certificate, key }, refusing));
const gone = "http://127.0.0.1:1";

type Inputs = Partial<PlaneVersionsInputs>;

const encryption = (provider: "secretbox" | "identity", resources = ["secrets"], rotate = ""): Inputs => ({
  encryption: provider,
  encrypting: { resources, rotate },
  encrypted: provider === "secretbox" ? ["secrets"] : [],
});
const base = {
  karmada: "1.18.2",
  kubernetes: "1.35.3",
  karmadaKubeconfig: kubeconfigOf(stays, ours.certificate, admin),
};
const check = async (then: Inputs, now: Inputs) => {
  const { inputs, failures = [] } = await provider.check({ ...base, ...then }, { ...base, ...now });
  return { leaving: (inputs as Inputs).leaving, reasons: failures.map(({ reason }) => reason) };
};

const why = (url: string) =>
  `API servers that are taken away serve until \`up\` ends, with the former settings: ${url}; ` +
  "what is written through them would stay as it was, and what others write they may not be able to read\n";
const oneAfterTheOther = "run up with controlPlane.encryption as it was first, then change it";

const two = { servers: [stays, gone] };
const one = { servers: [stays] };

test.each<[string, Inputs, Inputs]>([
  ["encrypting for the first time", {}, encryption("secretbox")],
  ["writing in clear again", encryption("secretbox"), encryption("identity")],
  ["another key", encryption("secretbox"), encryption("secretbox", ["secrets"], "1")],
  ["encrypting more", encryption("secretbox"), encryption("secretbox", ["secrets", "configmaps"])],
])("%s is refused in the edit that takes an API server away, or moves it", async (_, then, now) => {
  const reasons = [why(gone) + oneAfterTheOther];
  expect(await check({ ...two, ...then }, { ...one, ...now })).toEqual({ leaving: [gone], reasons });
  const moved = { servers: [stays, "https://10.0.0.3:5443"] };
  expect(await check({ ...two, ...then }, { ...moved, ...now })).toEqual({ leaving: [gone], reasons });
});

test("each of both alone is done, and API servers may come with a change", async () => {
  expect(await check({ ...two, ...encryption("secretbox") }, { ...one, ...encryption("secretbox") })).toEqual({
    leaving: [gone],
    reasons: [],
  });
  const nothing = { leaving: undefined, reasons: [] };
  expect(await check({ ...two, ...encryption("secretbox") }, { ...two, ...encryption("identity") })).toEqual(nothing);
  expect(await check(one, { ...two, ...encryption("secretbox") })).toEqual(nothing);
});

test("none is taken away by the up that begins to encrypt what all have learned to read", async () => {
  const learned = { ...encryption("secretbox"), encrypted: [] };
  expect((await check({ ...two, ...learned }, { ...one, ...encryption("secretbox") })).reasons).toEqual([
    `${why(gone)}run up with them once more first, which encrypts secrets, then take them away`,
  ]);
  expect((await check({ ...two, ...learned }, { ...two, ...encryption("secretbox") })).reasons).toEqual([]);
});

test("one that an interrupted up has not ended counts as long as it serves, and nobody else at its address does", async () => {
  const then = { ...one, leaving: [gone, serving, others] };
  expect(await check(then, { ...one, ...encryption("secretbox") })).toEqual({
    leaving: [serving],
    reasons: [why(serving) + oneAfterTheOther],
  });
  expect((await check(then, { servers: [stays, serving], ...encryption("secretbox") })).reasons).toEqual([]);
});

test("the state of an earlier release, which knows of no API servers, goes on, and is not updated", async () => {
  const { encrypting: _, encrypted: __, ...then } = encryption("secretbox");
  const now = { ...one, ...encryption("secretbox") };
  expect(await check(then, { ...one, ...encryption("identity") })).toEqual({ leaving: undefined, reasons: [] });
  expect(await provider.diff("id", { ...base, ...then, schemaVersion: 1 }, { ...base, ...now })).toMatchObject({
    changes: false,
  });
});
