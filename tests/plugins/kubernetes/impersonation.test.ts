import { startApiServer, type ApiServer } from "../../support/api-server.ts";
import { startPlugin } from "../support/plugin.ts";

const CONFIG_MAP = "kubernetes:core/v1:ConfigMap";
let server: ApiServer;
beforeAll(async () => (server = await startApiServer()), 120_000);
afterAll(() => server?.stop());

/** The administrator's kubeconfig, acting for somebody. */
function acting(fields: object): string {
  const kubeconfig = JSON.parse(server.kubeconfig) as { users: { user: object }[] };
  Object.assign(kubeconfig.users[0]!.user, fields);
  return JSON.stringify(kubeconfig);
}

test("the groups that a kubeconfig acts for count: without them the server refuses", async () => {
  const inputs = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "acting", namespace: "default" } };
  await using alone = await startPlugin("kubernetes", { config: { kubeconfig: acting({ as: "jane" }) } });
  await expect(alone.create(CONFIG_MAP, inputs)).rejects.toThrow(/User "jane" cannot \w+ resource "configmaps"/);
  const kubeconfig = acting({ as: "jane", "as-groups": ["dev", "system:masters"] });
  await using grouped = await startPlugin("kubernetes", { config: { kubeconfig } });
  expect((await grouped.up(CONFIG_MAP, inputs)).id).toBe("default/acting");
});
