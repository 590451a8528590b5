/** The command that brings a stack up, as typed: without a name it is `dev`. */
export const startCommand = (stack: string): string =>
  stack === "dev" ? "npm start" : `npm start -- --stack ${stack}`;
