import type { CheckRequest, CheckResult, Value } from "../server/index.ts";
import { annotationKeys, annotation, AUTONAMED } from "./annotations.ts";
import { markSecrets } from "./checkpoint.ts";
import { deprecationWarning } from "./deprecations.ts";
import { gvkOfType, isCrd, isPatchType } from "./gvk.ts";
import { isListType } from "./kinds.ts";
import { hasManagedByLabel, setManagedByLabel } from "./managed-by.ts";
import { adoptName, assignName, isGenerateName } from "./naming.ts";
import { normalize } from "./normalize.ts";
import { fromProperties, hasUnknown, nameOf, namespaceOf, setNamespace, textAt } from "./object.ts";
import type { KubeObject } from "./object.ts";
import type { Session } from "./session.ts";

/** The inputs in normal form, with a name and a namespace. */
export async function check(session: Session, request: CheckRequest): Promise<CheckResult> {
  if (session.unreachable !== undefined && session.settings.skipUpdateUnreachable) {
    request.log("warning", "Cluster is unreachable but skipUpdateUnreachable flag is set to true, skipping...");
    return { inputs: request.olds };
  }
  const gvk = gvkOfType(request.type);
  if (isListType(gvk)) {
    throw new Error(
      "list resources exist for compatibility with YAML manifests and Helm charts, " +
        "and cannot be created directly. Use the underlying resource type instead",
    );
  }
  const inputs = normalize(fromProperties(request.news));
  checkPatchResource(session, request.type, inputs);
  warnOfAnnotations(session, request, inputs);
  name(session, request, inputs);
  if (isGenerateName(inputs) && session.settings.enableServerSideApply) {
    throw new Error("the `.metadata.generateName` field is not supported in Server-Side Apply mode");
  }
  const deprecated = session.unreachable === undefined && deprecationWarning(gvk, session.cluster.version);
  if (deprecated && (deprecated.removed || !session.settings.suppressDeprecationWarnings)) {
    request.log("warning", deprecated.message);
  }
  if (session.defaultNamespace && !namespaceOf(inputs) && ((await session.isNamespaced(gvk)) ?? true)) {
    setNamespace(inputs, session.defaultNamespace);
  }
  if (isCrd(inputs) && !hasUnknown(inputs["spec"])) declareScope(session, inputs);
  const checked = inputs as Record<string, Value>;
  markSecrets(checked, request.news);
  return { inputs: checked };
}

function checkPatchResource({ settings }: Session, type: string, inputs: KubeObject): void {
  if (!isPatchType(type, inputs)) return;
  if (!settings.enableServerSideApply) {
    throw new Error(
      "patch resources require Server-Side Apply mode, which is enabled using the `enableServerSideApply` Provider config",
    );
  }
  if (!nameOf(inputs)) throw new Error("patch resources require the `.metadata.name` field to be set");
}

function warnOfAnnotations({ settings }: Session, { log }: CheckRequest, inputs: KubeObject): void {
  let hooks = false;
  for (const key of annotationKeys(inputs)) {
    if (key.startsWith(AUTONAMED)) {
      log("warning", `ignoring user-specified value for internal annotation ${JSON.stringify(key)}`);
    }
    hooks ||= key.startsWith("helm.sh/hook") && annotation(inputs, key).includes("test");
  }
  if (!hooks || settings.suppressHelmHookWarnings) return;
  log(
    "warning",
    "This resource contains Helm hooks that are not currently supported by Pulumi. The resource will " +
      "be created, but any hooks will not be executed. Hooks support is tracked at " +
      "https://github.com/pulumi/pulumi-kubernetes/issues/555 -- This warning can be disabled by setting " +
      "the PULUMI_K8S_SUPPRESS_HELM_HOOK_WARNINGS environment variable",
  );
}

/** The label says who manages an object only where no field manager does. */
function name({ settings }: Session, request: CheckRequest, inputs: KubeObject): void {
  const olds = fromProperties(request.olds);
  if (Object.keys(olds).length > 0) {
    adoptName(inputs, olds);
    if (hasManagedByLabel(olds)) setManagedByLabel(inputs);
  } else {
    assignName(inputs, request);
    if (!settings.enableServerSideApply) setManagedByLabel(inputs);
  }
}

function declareScope(session: Session, crd: KubeObject): void {
  const kind = `${textAt(crd, "spec", "group")}/${textAt(crd, "spec", "names", "kind")}`;
  session.declaredScopes.set(kind, textAt(crd, "spec", "scope") === "Namespaced");
}
