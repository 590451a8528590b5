import { KubeConfig } from "@kubernetes/client-node";
import { parse } from "yaml";
import { mergedKubeconfig } from "../../cli/stack/merged-kubeconfig.ts";
import { renderKubeconfig } from "../../components/pki/kubeconfig.ts";

const kubeconfig = (server: string, user: string) =>
  renderKubeconfig({
    server,
    user,
    authority: `authority of ${server}`,
    certificate: `certificate of ${user}`,
    key: "",
  });
const plane = kubeconfig("https://127.0.0.1:24000", "admin");

test("the plane's kubeconfig alone is not changed", () => {
  expect(mergedKubeconfig(plane, {})).toBe(plane);
});

test("each of the others has a context of its name, also one that is called as what is there already", () => {
  const text = mergedKubeconfig(plane, {
    karmada: kubeconfig("https://127.0.0.1:24301", "member-karmada-admin"),
    admin: kubeconfig("https://127.0.0.1:24302", "member-admin-admin"),
  });
  const config = new KubeConfig();
  config.loadFromString(text);
  expect(config.getCurrentContext()).toBe("admin@karmada");
  expect(reached(config, "admin@karmada")).toEqual(["https://127.0.0.1:24000", "certificate of admin"]);
  expect(reached(config, "karmada")).toEqual(["https://127.0.0.1:24301", "certificate of member-karmada-admin"]);
  expect(reached(config, "admin")).toEqual(["https://127.0.0.1:24302", "certificate of member-admin-admin"]);
  expect(config.getContexts()).toHaveLength(3);
});

test("a member is called by its name, whatever that is in YAML 1.1, which kubectl reads", () => {
  const text = mergedKubeconfig(plane, { no: kubeconfig("https://127.0.0.1:24303", "member-no-admin") });
  const { contexts } = parse(text, { schema: "yaml-1.1" }) as { contexts: { name: unknown }[] };
  expect(contexts.map(({ name }) => name)).toEqual(["admin@karmada", "no"]);
});

/** The server of a context, and who comes to it. */
function reached(config: KubeConfig, context: string) {
  config.setCurrentContext(context);
  const certificate = Buffer.from(config.getCurrentUser()?.certData ?? "", "base64").toString();
  return [config.getCurrentCluster()?.server, certificate];
}
