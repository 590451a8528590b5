import * as pulumi from "@pulumi/pulumi";

type Keys = { readonly [K in "privateKey" | "passphrase" | "password"]?: string };

/** An SSH login, without those of the hosts through which it leads. */
export function sealLogin<T extends Keys>({ privateKey, passphrase, password, ...plain }: T) {
  return {
    ...plain,
    ...(privateKey !== undefined && { privateKey: pulumi.secret(privateKey) }),
    ...(passphrase !== undefined && { passphrase: pulumi.secret(passphrase) }),
    ...(password !== undefined && { password: pulumi.secret(password) }),
  };
}

/** What has the login of an image registry. */
export const sealImages = <T extends { readonly login?: string }>({ login, ...plain }: T) => ({
  ...plain,
  ...(login !== undefined && { login: pulumi.secret(login) }),
});
