/**
 * A place at which a test may have this process die, as if its machine had lost power: `KARMADA_FAIL_AT` names it.
 * Points lie between a change to the world and the record of it, and are called `<procedure>/<what has just happened>`.
 * Related processes (its engine, its shell) are not touched.
 */
export function failPoint(point: string): void {
  if (process.env.KARMADA_FAIL_AT === point) process.kill(process.pid, "SIGKILL");
}
