/**
 * A piece of each private key and of each token that a state holds, long enough to be nothing else.
 *
 * @param state as exported with its secrets in clear
 */
export function secretsInState(state: string): string[] {
  const keys = state.matchAll(/PRIVATE KEY-----(?:\\+n)+([\w+/=]{40})/g);
  const inKubeconfigs = state.matchAll(/client-key-data\W+([\w+/=]{400})/g);
  const tokens = state.matchAll(/eyJ[\w-]+\.[\w-]+\.([\w-]{40})/g);
  // What lies in a kubeconfig is encoded once more, and begins like every other.
  return [...new Set([...keys, ...inKubeconfigs, ...tokens].map(([, piece]) => piece!.slice(-40)))];
}
