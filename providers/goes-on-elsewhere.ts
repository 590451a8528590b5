/** What to say of programs of the control plane that belong to another stack, and go on with what they have read. */
const startedAgain =
  "the next `up` of the deployment starts them again where its `teams` name this stack, " +
  "else restart karmada-controller-manager, karmada-search and karmada-metrics-adapter yourself";

export const goesOnByFormerWay = `programs of the control plane go on by the way to it that they have read first; ${startedAgain}`;
export const goesOnWithDeadToken = `programs of the control plane go on with a token that it no longer takes, and see nothing in it; ${startedAgain}`;
