import { connectAlone } from "./client.ts";
import { isDistrusted, isTransient, KubeError } from "./error.ts";

/**
 * Whether there is an API server where a kubeconfig leads to: one that refuses exists too. `distrusted` is another's, or
 * has an old certificate.
 */
export async function serves(kubeconfig: string): Promise<"yes" | "no" | "distrusted"> {
  const plane = await connectAlone(kubeconfig);
  try {
    await plane.get("/version", { timeout: 5000 });
    return "yes";
  } catch (error) {
    if (isDistrusted(error)) return "distrusted";
    return error instanceof KubeError || !isTransient(error) ? "yes" : "no";
  } finally {
    plane.close();
  }
}
