import { readFile, rm } from "node:fs/promises";
import { installFrom } from "../../../toolchain/install.ts";
import type { HttpOptions } from "../../../toolchain/net/http.ts";
import { imageSource } from "../../../toolchain/sources/image.ts";
import { publishImage } from "../support/registry.ts";
import { canMount, mountTmpfs } from "../../support/mount.ts";
import { archiveOf, demoSet, here, leftovers, makeSandbox, script, sha256, type Sandbox } from "../support/sandbox.ts";
import { bytes, redirect, silent, startWeb, trickle, truncated, truncatedOnce, type Web } from "../support/web.ts";

let sandbox: Sandbox;
let web: Web;
beforeEach(async () => {
  sandbox = await makeSandbox();
  web = await startWeb();
});
afterEach(async () => {
  await web.close();
  await sandbox.remove();
});

const program = script("demo v1.2.3", 5000);
const registry = () => web.base.replace("http://", "");

const obtain = (member = "/usr/local/bin/demo", http: HttpOptions = {}) => {
  const set = demoSet({ image: { reference: `${registry()}/team/demo:v{version}`, member } });
  return installFrom(set.programs, {
    sets: [set],
    sources: [imageSource()],
    store: sandbox.store,
    platform: here,
    http: { idleSeconds: 5, connectSeconds: 1, ...http },
  });
};

const failure = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => Promise.reject(new Error("was expected to fail")),
    (error: Error) => error,
  );

const layer = (files: Record<string, string | Buffer>) => archiveOf(sandbox, files);

const publish = (...layers: Buffer[]) => publishImage(web, "team/demo", "v1.2.3", [{ layers, platform: here }]);

test("a file is taken from the topmost layer that has it, with an anonymous token", async () => {
  const base = await layer({ "etc/os-release": "base" });
  const old = await layer({ "usr/local/bin/demo": script("demo v1.0.0") });
  const top = await layer({ "usr/local/bin/demo": program });
  publish(base, old, top);
  const [artifact] = await obtain();
  expect(artifact).toMatchObject({
    source: "image",
    address: `${registry()}/team/demo:v1.2.3`,
    sha256: sha256(program),
    verified: ["image digest first use", "version output"],
  });
  expect(await readFile(artifact!.path)).toEqual(program);
  expect(web.requests.filter((request) => request.includes("/blobs/"))).toEqual([
    `GET /v2/team/demo/blobs/sha256:${sha256(top)}`,
  ]);
  expect(await leftovers(sandbox.store)).toEqual([]);
});

test("layers above that say nothing about the file are passed", async () => {
  publish(await layer({ "usr/local/bin/demo": program }), await layer({ "etc/motd": "hello" }));
  const [artifact] = await obtain();
  expect(artifact?.sha256).toBe(sha256(program));
});

test.each([
  ["the file's own whiteout", "usr/local/bin/.wh.demo"],
  ["a whiteout of a directory above", "usr/.wh.local"],
  ["an opaque directory", "usr/local/bin/.wh..wh..opq"],
])("%s hides what lower layers have", async (_, whiteout) => {
  publish(await layer({ "usr/local/bin/demo": program }), await layer({ [whiteout]: "" }));
  const error = await failure(obtain());
  expect(error.message).toContain(`image: ${registry()}/team/demo:v1.2.3 has no file /usr/local/bin/demo\n`);
});

test("a layer that makes a directory opaque may have the file itself", async () => {
  publish(await layer({ "usr/local/bin/.wh..wh..opq": "", "usr/local/bin/demo": program }));
  const [artifact] = await obtain();
  expect(artifact?.sha256).toBe(sha256(program));
});

test("/bin is found below /usr in images that merge them", async () => {
  publish(await layer({ "usr/bin/demo": program }));
  const [artifact] = await obtain("/bin/demo");
  expect(artifact?.sha256).toBe(sha256(program));
});

test("an image without the platform is refused by name", async () => {
  publishImage(web, "team/demo", "v1.2.3", [{ layers: [], platform: "linux/s390x" }]);
  const error = await failure(obtain());
  expect(error.message).toContain(`image: ${registry()}/team/demo:v1.2.3: no image for ${here}\n`);
});

test("a layer with other bytes than its digest is refused, and nothing is left", async () => {
  const top = await layer({ "usr/local/bin/demo": program });
  publish(top);
  web.answers.set(`/v2/team/demo/blobs/sha256:${sha256(top)}`, bytes("something else"));
  const error = await failure(obtain());
  expect(error.message).toContain(`checksum is ${sha256("something else")}, the publisher says ${sha256(top)}`);
  expect(await leftovers(sandbox.store)).toEqual([]);
});

test("a layer cut short is an error, and nothing is left", async () => {
  const top = await layer({ "usr/local/bin/demo": program });
  publish(top);
  web.answers.set(`/v2/team/demo/blobs/sha256:${sha256(top)}`, truncated(top));
  expect((await failure(obtain())).message).toContain("the connection broke after");
  expect(await leftovers(sandbox.store)).toEqual([]);
});

test("a layer, or a manifest, that stalls is given up with its address, and nothing is left", async () => {
  const top = await layer({ "usr/local/bin/demo": program });
  publish(top);
  const blob = `/v2/team/demo/blobs/sha256:${sha256(top)}`;
  web.answers.set(blob, trickle);
  const slow = (await failure(obtain(undefined, { idleSeconds: 0.5 }))).message;
  expect(slow).toContain(`image: ${web.base}${blob}: too slow, `);
  expect(await leftovers(sandbox.store)).toEqual([]);

  web.answers.set(blob, silent);
  expect((await failure(obtain(undefined, { idleSeconds: 0.5 }))).message).toContain(
    `image: ${web.base}${blob}: no answer within 0.5s`,
  );
  web.answers.set("/v2/team/demo/manifests/v1.2.3", trickle);
  expect((await failure(obtain(undefined, { textSeconds: 0.5 }))).message).toContain(
    `image: ${web.base}/v2/team/demo/manifests/v1.2.3: not whole within 0.5s`,
  );
  expect(await leftovers(sandbox.store)).toEqual([]);
  publish(top);
  expect((await obtain())[0]?.sha256).toBe(sha256(program));
});

test("a registry that moved its manifests and layers is followed there, and one that moves in circles is not", async () => {
  const top = await layer({ "usr/local/bin/demo": program });
  publishImage(web, "team/new", "v1.2.3", [{ layers: [top], platform: here }]);
  for (const path of [...web.answers.keys()].filter((key) => key.includes("/team/new/")))
    web.answers.set(path.replace("/team/new/", "/team/demo/"), redirect(path));
  expect((await obtain())[0]?.sha256).toBe(sha256(program));

  await rm(sandbox.store, { recursive: true });
  const manifest = "/v2/team/demo/manifests/v1.2.3";
  web.answers.set(manifest, redirect(manifest));
  expect((await failure(obtain())).message).toContain(`image: ${web.base}${manifest}: redirected too often`);
  expect(await leftovers(sandbox.store)).toEqual([]);
});

test("a disk that is full while a program is taken out of a layer is named with what to do, and nothing is left", async () => {
  publish(await layer({ "usr/local/bin/demo": script("demo v1.2.3", 500_000), "usr/local/bin/more": "after it" }));
  if (!canMount) return;
  const unmount = await mountTmpfs(sandbox.store, "256k");
  try {
    const { message } = await failure(obtain());
    expect(message).toMatch(/image: ENOSPC/);
    expect(message).toContain(`to do: free disk space below ${sandbox.store}, or name another place with`);
    expect(await leftovers(sandbox.store)).toEqual([]);
  } finally {
    await unmount();
  }
});

test("something other than a file in a layer is refused by what it is", async () => {
  publish(await layer({ "usr/local/bin/demo/inner": "a directory where the program should be" }));
  expect((await failure(obtain())).message).toContain("has no file /usr/local/bin/demo");
});

test("a manifest with other bytes than its digest is refused", async () => {
  const top = await layer({ "usr/local/bin/demo": program });
  publish(top);
  const [path] = [...web.answers.keys()].filter((key) => key.includes("/manifests/sha256:"));
  web.answers.set(path!, bytes('{"layers":[]}'));
  expect((await failure(obtain())).message).toMatch(/manifest checksum is sha256:[0-9a-f]{64}, want sha256:/);
});

test("a token that breaks off is asked for again, and one that is a page of HTML is refused with its address", async () => {
  publish(await layer({ "usr/local/bin/demo": program }));
  const token = Buffer.from(JSON.stringify({ token: "letmein" }));
  web.answers.set("/token", truncatedOnce(token, bytes(token)));
  expect((await obtain())[0]?.sha256).toBe(sha256(program));

  await rm(sandbox.store, { recursive: true });
  web.answers.set("/token", bytes("<html>Please log in</html>"));
  expect((await failure(obtain())).message).toContain(
    `image: ${web.base}/token?service=registry.test&scope=repository%3Ateam%2Fdemo%3Apull: ` +
      'want JSON, got something else, which begins with "<html>Please log in</html>"; is a proxy or a login in between?',
  );
});

test("the storage that a registry redirects to is not shown the registry's token", async () => {
  const top = await layer({ "usr/local/bin/demo": program });
  publish(top);
  const storage = await startWeb();
  try {
    const shown: (string | undefined)[] = [];
    storage.answers.set("/blob", (request, response) => {
      shown.push(request.headers.authorization);
      bytes(top)(request, response);
    });
    const path = `/v2/team/demo/blobs/sha256:${sha256(top)}`;
    const asked: (string | undefined)[] = [];
    web.answers.set(path, (request, response) => {
      asked.push(request.headers.authorization);
      redirect(`${storage.base}/blob`)(request, response);
    });
    expect((await obtain())[0]?.sha256).toBe(sha256(program));
    expect([asked, shown]).toEqual([["Bearer letmein"], [undefined]]);
  } finally {
    await storage.close();
  }
});

test("a tag that is not there is one error with the registry's status", async () => {
  const error = await failure(obtain());
  expect(error.message).toContain(`image: ${registry()}/team/demo:v1.2.3: HTTP 404 from ${web.base}\n`);
});
