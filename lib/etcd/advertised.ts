/** Where a member tells its clients to come, of its arguments. */
export function advertisedIn(args: readonly string[]): string | undefined {
  const flag = args.find((each) => each.startsWith(advertising));
  return flag?.slice(advertising.length).split(",")[0];
}

export const advertising = "--advertise-client-urls=";
