import { connect, type KubeClient } from "../lib/kube/client.ts";
import { isRefused } from "../lib/kube/error.ts";
import { retryTransient } from "../lib/kube/retry-transient.ts";
import { parseKubeconfig } from "../lib/kube/kubeconfig.ts";
import { leftBehind } from "../lib/left-behind.ts";
import { accountDrift, accountFor } from "../lib/members/accounts.ts";
import { prefixErrors } from "../lib/members/prefix-errors.ts";
import { dropNamespace } from "../lib/members/cleanup.ts";
import { probeEndpoint } from "../lib/members/endpoint.ts";
import { identify, uidOf } from "../lib/members/identity.ts";
import { isOwnAccount } from "../lib/members/own-account.ts";
import { dueRotation } from "../lib/members/due.ts";
import { paths } from "../lib/members/names.ts";
import { reserved } from "../lib/members/reserved.ts";
import { allowDeletion } from "../lib/members/preserve.ts";
import { planesOf, sharedWith, unknownPlane } from "../lib/members/sharing.ts";
import { ensureAccount, ensureNamespace, removeAccount } from "../lib/members/service-account.ts";
import { patience } from "../lib/members/still-there.ts";
import { decoded } from "../lib/members/tokens.ts";
import { tokenKubeconfig } from "../lib/members/token-kubeconfig.ts";
import { deadlineIn, messageOf } from "../lib/wait.ts";
import { implement } from "./implementation.ts";
import { keptOnce } from "./kept-once.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";
import type { MemberAccessInputs, MemberAccessOutputs } from "./member-access.ts";

const implemented = implement<MemberAccessInputs, MemberAccessOutputs>({
  inputs: {
    cluster: "replace",
    purpose: "replace",
    declaredBy: "ignore",
    karmadaKubeconfig: "ignore",
    memberKubeconfig: "update",
    proxy: "update",
    rotate: "update",
    rotateEvery: "ignore",
    due: "update",
    plan: "ignore",
    timeoutSeconds: "ignore",
  },
  // 2: the estimator may read quotas.
  schemaVersion: 2,
  deleteBeforeReplace: true,
  id: ({ cluster, purpose }) => `${cluster}-${purpose}`,
  check: (inputs) => checkKubeconfigs(inputs, ["karmadaKubeconfig", "memberKubeconfig"]),
  derive: async (inputs, { inputs: then }) => ({ inputs: await dueRotation(inputs, inputs, then) }),
  create: (inputs) => prefixErrors(inputs.cluster, () => ensure(inputs)),
  update: (inputs) => prefixErrors(inputs.cluster, () => ensure(inputs)),
  async read(state) {
    try {
      const member = await connect(state.memberKubeconfig);
      return { state: {}, drift: await accountDrift(member, accountFor(state.purpose, state.cluster), state) };
    } catch (error) {
      return { state: {}, drift: [`the member cannot be read: ${messageOf(error)}`] };
    }
  },
  async delete({ cluster, purpose, karmadaKubeconfig, memberKubeconfig, timeoutSeconds, uid, planeUid }) {
    const account = accountFor(purpose, cluster);
    try {
      const member = await connect(memberKubeconfig);
      const [planes, now] = await retryTransient("the member", patience(timeoutSeconds), () =>
        Promise.all([
          otherPlanes(member, cluster, karmadaKubeconfig, planeUid),
          uid && member.get(paths.namespace("kube-system")).then(({ metadata }) => metadata?.uid),
        ]),
      );
      if (uid !== now) throw new Error(`it is another cluster now, ${now}`);
      const deadline = deadlineIn(timeoutSeconds);
      if (planes.length > 0) {
        // An agent that was to leave everything there has been limited, and with it the other plane's.
        await allowDeletion(member, account, deadline);
        console.warn(`${cluster}: service account ${account.name} stays: ${sharedWith(cluster, planes)}`);
        return;
      }
      await retryTransient(`the member to delete service account ${account.name}`, deadline, async () => {
        await removeAccount(member, account);
        await dropNamespace(member, cluster, deadline);
      });
    } catch (error) {
      // It was removed with the registration, and this login with it.
      if (isRefused(error) && isOwnAccount(memberKubeconfig, cluster)) return;
      console.warn(`${cluster}: ${messageOf(error)}\n${leftBehind(`service account ${account.name}`)}`);
    }
  },
});

export const provider = keptOnce(implemented, ["karmadaKubeconfig", "memberKubeconfig"]);

/**
 * Planes that use the same accounts, except this one. This one is asked only if a different UID is noted, as after a
 * restore, since its address may have changed by now; if it does not answer, every noted plane counts as another. A
 * plane that does not note itself has none of the accounts distinguished here.
 */
async function otherPlanes(
  member: KubeClient,
  cluster: string,
  karmadaKubeconfig: string,
  planeUid: string | undefined,
): Promise<string[]> {
  const planes = (await planesOf(member, cluster)).filter((each) => each !== unknownPlane && each !== planeUid);
  if (planes.length === 0) return [];
  const plane = await connect(karmadaKubeconfig);
  const uid = await uidOf(plane, "the Karmada API", deadlineIn(5)).catch(() => undefined);
  return planes.filter((each) => each !== uid);
}

async function ensure(inputs: MemberAccessInputs): Promise<MemberAccessOutputs> {
  const { cluster, purpose, memberKubeconfig, proxy } = inputs;
  const deadline = deadlineIn(inputs.timeoutSeconds);
  const { plane, member, uid, planeUid } = await identify(inputs, deadline);
  const { current } = await reserved({ plane: plane.server, uid, cluster }, async () => {
    await ensureNamespace(member, deadline);
    return ensureAccount(member, accountFor(purpose, cluster), deadline, inputs);
  });
  const token = decoded(current);
  const endpoint = await probeEndpoint(parseKubeconfig(memberKubeconfig), { token, ca: decoded(current, "ca.crt") });
  const way = { ...endpoint, ...(proxy !== undefined && { proxyURL: proxy }) };
  return { kubeconfig: tokenKubeconfig(cluster, way, token), uid, planeUid };
}
