/**
 * A place at which a test may have this process die, as if its machine had lost power: `KARMADA_FAIL_AT` names it. Points
 * lie between a change to the world and the note of it, and are called `<procedure>/<what has just happened>`. What was
 * started with this process (its engine, its shell) is not touched.
 */
export function failPoint(point: string): void {
  if (process.env.KARMADA_FAIL_AT === point) process.kill(process.pid, "SIGKILL");
}
