import { closeHosts, hostAt } from "../../lib/hosts/hosts.ts";
import { Lab, type LabHost } from "./nspawn-lab.ts";

/**
 * A real host for the tests of a block: there before what the block itself does before them, and gone after them.
 *
 * @param number of the lab
 */
export function labHost(number: number) {
  let lab: Lab | undefined;
  let machine: LabHost;
  beforeAll(async () => {
    lab = new Lab(number);
    machine = await lab.add(1);
  }, 300_000);
  afterAll(async () => {
    closeHosts();
    await lab?.stop();
  }, 60_000);
  return {
    /** Of the lab, on this machine. */
    directory: () => lab!.directory,
    machine: () => machine,
    /** What it answers to a script. */
    ask: (script: string): Promise<string> => hostAt(machine.address).run("asking", script),
  };
}
