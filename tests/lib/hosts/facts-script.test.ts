/** What the script says of the machine that runs it. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseFacts } from "../../../lib/hosts/facts.ts";
import { factsScript } from "../../../lib/hosts/facts-script.ts";

const directory = mkdtempSync(join(tmpdir(), "facts-"));
afterAll(() => rmSync(directory, { recursive: true }));

test("names where a socket was asked for and there is none, or something else", async () => {
  const [heard, absent, file] = ["a.sock", "b.sock", "it's a file"].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(file, "");
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(heard, resolve));
  const script = factsScript({ disk: false, reach: [], names: [], sockets: [heard, absent, file] });
  const { unheard } = parseFacts(
    execFileSync("sh", ["-c", script], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
  );
  server.close();
  expect(unheard).toEqual([absent, file]);
});
