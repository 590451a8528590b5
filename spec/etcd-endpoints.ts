import { z } from "zod";
import { serverWithPort } from "./address.ts";
import { secret, text } from "./field.ts";

/** A certificate, as files have them. */
export const certificate = text(/-----BEGIN CERTIFICATE-----/, "a certificate in PEM form");

/** Who somebody is to etcd. */
export const clientPair = {
  certificate: certificate.describe("Client certificate, in PEM form."),
  key: secret("a private key in PEM form").describe("Private key of the client certificate, in PEM form."),
};

/** How an etcd that is reached by its addresses is reached. */
export const etcdEndpoints = {
  endpoints: z
    .array(serverWithPort("https://etcd-1.example.org:2379"))
    .min(1)
    .describe("Client addresses of its members."),
  ca: certificate.describe("Authority that signed its certificates, in PEM form."),
  ...clientPair,
};

/** Where the keys of a Karmada are in it. */
export const etcdPrefix = (example: string) =>
  text(/^\/[-\w./]*[-\w.]$/, `a path such as "${example}"`).default(example);
