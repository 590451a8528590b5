import { certifyAgent } from "../../../lib/members/agent-certificate.ts";
import { deadlineIn } from "../../../lib/wait.ts";
import { Unsteady } from "../../support/unsteady.ts";

const nowhere = { server: "https://127.0.0.1:1", insecureSkipTlsVerify: false, login: false };
const token = { metadata: { name: "bootstrap-token-abc" } };

test("what a certificate is asked for by is gone from a control plane that fails for a moment, and why there is none is said", async () => {
  const plane = new Unsteady((verb) => (verb === "get" ? { items: [token] } : undefined));
  const certified = certifyAgent(plane.client, nowhere, "oslo", { authority: "", validSeconds: 3600 }, deadlineIn(3));
  await expect(certified).rejects.toThrow("to take a certificate request by a bootstrap token");
  const deleted = plane.done.filter((call) => call.startsWith("delete")).map((call) => call.split("/").at(-1));
  expect(new Set(deleted)).toEqual(
    new Set([
      "bootstrap-token-abc",
      "system:karmada:oslo:agent-bootstrap",
      expect.stringMatching(/^agent-oslo-[0-9a-f]{6}$/),
    ]),
  );
});
