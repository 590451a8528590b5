import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { provider } from "../../../providers/plane-versions-impl.ts";
import type { PlaneVersionsInputs } from "../../../providers/plane-versions.ts";
import { createAuthority } from "../../support/certificates.ts";
import { kubeconfigOf } from "../../support/cluster.ts";

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
let told = "first";
const noting: http.RequestListener = ({ url }, response) => {
  const annotations = { "karmada-pulumi/encryption-told": told };
  if (url !== "/api/v1/namespaces/kube-system") refusing({} as never, response as never);
  else
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ metadata: { annotations } }));
};
const stays = await listening("http", http.createServer(noting));
const goes = await listening("http", http.createServer(refusing));
const others = await listening("https", https.createServer({ cert: certificate, key }, refusing));
const gone = "http://127.0.0.1:1";

type Inputs = Partial<PlaneVersionsInputs>;

const encryption = (provider: "secretbox" | "identity", resources = ["secrets"], rotate = ""): Inputs => ({
  encryption: provider,
  encrypting: { resources, rotate },
  encrypted: provider === "secretbox" ? ["secrets"] : [],
});
const encryptionByService = (kms: string): Inputs => ({
  encryption: "kms",
  encrypting: { resources: ["secrets"], rotate: "", kms },
  encrypted: ["secrets"],
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
  `API servers that are taken away serve until \`up\` ends, with the former settings: api-1 on host2 (${url}); ` +
  "what is written through them would stay as it was, and what others write they may not be able to read\n";
const oneAfterTheOther = "run up with controlPlane.encryption as it was first, then change it";
const encryptFirst = "run up with them once more first, which encrypts secrets, then take them away";

const first = { "api-0 on host1": stays };
const second = (url: string) => ({ "api-1 on host2": url });
const one = { servers: first };
const two = { servers: { ...first, ...second(goes) } };
const nothing = { leaving: undefined, reasons: [] };

test.each<[string, Inputs, Inputs]>([
  ["encrypting for the first time", {}, encryption("secretbox")],
  ["writing in clear again", encryption("secretbox"), encryption("identity")],
  ["another key", encryption("secretbox"), encryption("secretbox", ["secrets"], "1")],
  ["another way to encrypt", encryption("secretbox"), encryptionByService("vault")],
  ["another key service", encryptionByService("vault"), encryptionByService("cloud")],
  ["encrypting more", encryption("secretbox"), encryption("secretbox", ["secrets", "configmaps"])],
])("%s is refused in the edit that takes an API server away, or moves it", async (_, then, now) => {
  const refused = { leaving: second(goes), reasons: [why(goes) + oneAfterTheOther] };
  expect(await check({ ...two, ...then }, { ...one, ...now })).toEqual(refused);
  const moved = { servers: { ...first, "api-1 on host3": "http://127.0.0.1:2" } };
  expect(await check({ ...two, ...then }, { ...moved, ...now })).toEqual(refused);
});

test("each of both alone is done, and API servers may come with a change", async () => {
  expect(await check({ ...two, ...encryption("secretbox") }, { ...one, ...encryption("secretbox") })).toEqual({
    leaving: second(goes),
    reasons: [],
  });
  expect(await check({ ...two, ...encryption("secretbox") }, { ...two, ...encryption("identity") })).toEqual(nothing);
  expect(await check(one, { ...two, ...encryption("secretbox") })).toEqual(nothing);
});

test("one whose host is lost is taken away with a change: it writes nothing", async () => {
  const lost = { servers: { ...first, ...second(gone) } };
  expect(await check({ ...lost, ...encryption("secretbox") }, { ...one, ...encryption("identity") })).toEqual(nothing);
});

test("one whose host gets another address, or another name, does not leave", async () => {
  const [then, now] = [encryption("secretbox"), encryption("identity")];
  const elsewhere = { servers: { ...first, ...second("http://127.0.0.1:3") } };
  expect(await check({ ...two, ...then }, { ...elsewhere, ...now })).toEqual(nothing);
  const renamed = { servers: { ...first, "api-1 on other": goes } };
  expect(await check({ ...two, ...then }, { ...renamed, ...now })).toEqual(nothing);
});

test("none is taken away by the up that begins to encrypt what all have learned to read", async () => {
  const learned = { ...encryption("secretbox"), encrypted: [] };
  expect((await check({ ...two, ...learned }, { ...one, ...encryption("secretbox") })).reasons).toEqual([
    why(goes) + encryptFirst,
  ]);
  expect((await check({ ...two, ...learned }, { ...two, ...encryption("secretbox") })).reasons).toEqual([]);
});

test("nor by the up that moves to a key service, and what it encrypts is not left to those who cannot read it", async () => {
  const moving = { ...encryptionByService("vault"), encrypted: [] };
  expect((await check({ ...two, ...moving }, { ...one, ...encryptionByService("vault") })).reasons).toEqual([
    why(goes) + encryptFirst,
  ]);
  expect((await check({ ...one, ...encryptionByService("vault") }, one)).reasons).toEqual([
    "API servers could not read what is encrypted in etcd\n" +
      'set controlPlane.encryption.provider to "identity" first, run up, then take it out',
  ]);
});

test("nor after that up was interrupted before it had told all of them, as their note says", async () => {
  const then = { ...two, ...encryption("secretbox"), told: "second" };
  const now = { ...one, ...encryption("secretbox"), told: "second" };
  expect((await check(then, now)).reasons).toEqual([why(goes) + encryptFirst]);
  told = "second";
  expect((await check(then, now)).reasons).toEqual([]);
});

test("one that an interrupted up has not ended counts as long as it serves, and nobody else at its address does", async () => {
  const now = { ...one, ...encryption("secretbox") };
  expect(await check({ ...one, leaving: second(goes) }, now)).toEqual({
    leaving: second(goes),
    reasons: [why(goes) + oneAfterTheOther],
  });
  for (const url of [gone, others]) expect(await check({ ...one, leaving: second(url) }, now)).toEqual(nothing);
  expect(await check({ ...one, leaving: second(goes) }, { ...two, ...encryption("secretbox") })).toEqual(nothing);
});

test("the state of an earlier release, which knows of no API servers, goes on, and is not updated", async () => {
  const { encrypting: _, encrypted: __, ...then } = encryption("secretbox");
  const now = { ...one, ...encryption("secretbox") };
  expect(await check(then, { ...one, ...encryption("identity") })).toEqual(nothing);
  expect(await provider.diff("id", { ...base, ...then, schemaVersion: 1 }, { ...base, ...now })).toMatchObject({
    changes: false,
  });
});
