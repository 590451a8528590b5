import { connect } from "node:net";

/** Whether every endpoint refuses connections, so that nothing has been started there. Silence, 3 seconds of it, does not count. */
export async function nobodyListens(endpoints: readonly string[]): Promise<boolean> {
  const refused = await Promise.all(endpoints.map(refuses));
  return refused.every(Boolean);
}

function refuses(endpoint: string): Promise<boolean> {
  const { hostname, port } = new URL(endpoint);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port), timeout: 3000 });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => end(false));
    socket.once("timeout", () => end(false));
    socket.once("error", ({ code }: NodeJS.ErrnoException) => end(code === "ECONNREFUSED"));
  });
}
