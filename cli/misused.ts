/** Says that a command cannot be meant as it was typed. @returns the exit code of that */
export function misused(name: string, { message }: Error): 2 {
  console.error(`${name}: ${message}\n${name} -- --help says more`);
  return 2;
}
