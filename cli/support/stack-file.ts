import { readFile } from "node:fs/promises";
import { isAlias, isMap, isNode, isPair, isScalar, isSeq, type Document, type Node, parseDocument } from "yaml";
import { isSecretField, secretMaps } from "../../stacks/plain-secrets.ts";
import { stackFile } from "../stack/stack-file.ts";
import type { Source } from "./collect.ts";
import { isSecretName, redacted } from "./redact.ts";
import { stackFileName } from "../../toolchain/pulumi/stack-name.ts";
import { yamlProblem } from "../../toolchain/yaml-problem.ts";

/** The stack file, without secrets that it has in clear. */
export const stackFileSource = (root: string, stack: string): Source => ({
  path: stackFileName(stack),
  read: async (into) =>
    into.put(stackFileName(stack), withoutPlainSecrets(await readFile(stackFile(root, stack), "utf8"))),
});

/**
 * The text of a stack file with every secret in clear taken out; what is encrypted stays as it is, and so do comments and
 * order.
 *
 * @throws when it is not YAML: what is secret in it cannot be told then
 */
export function withoutPlainSecrets(text: string): string {
  const document = parseDocument(text, { merge: true });
  const [problem] = document.errors;
  if (problem !== undefined) throw new Error(`it cannot be read as YAML: ${yamlProblem(problem)}`);
  if (document.contents !== null) takeOut(document.contents, document);
  return document.toString({ lineWidth: 0 });
}

function takeOut(node: unknown, document: Document): void {
  if (isSeq(node)) for (const item of node.items) takeOut(item, document);
  if (isScalar(node)) takeOutOfText(node);
  if (!isMap(node)) return;
  for (const { key, value } of node.items.filter(isPair)) {
    const name = String(isScalar(key) ? key.value : key);
    const field = isAlias(value) ? value.resolve(document) : value;
    if (secretMaps.has(name)) blankAll(field, document);
    else if (isScalar(field) && isSecret(name, String(field.value))) blank(field);
    else takeOut(field, document);
  }
}

const isSecret = (name: string, text: string): boolean => isSecretField(name, text) || isSecretName(name);

/** Every text below a node, but for what is encrypted. */
function blankAll(node: unknown, document: Document): void {
  const field = isAlias(node) ? node.resolve(document) : node;
  if (isScalar(field)) blank(field);
  if (isSeq(field)) for (const item of field.items) blankAll(item, document);
  if (isMap(field) && !field.has("secure"))
    for (const pair of field.items.filter(isPair)) blankAll(pair.value, document);
}

function blank(node: { value: unknown }): void {
  node.value = redacted;
}

/** A key may have its value as JSON, as `pulumi config set` writes it. */
function takeOutOfText(node: { value: unknown }): void {
  if (typeof node.value !== "string" || !/^\s*[[{]/.test(node.value)) return;
  const inner = parseDocument(node.value);
  if (inner.errors.length > 0 || !isNode(inner.contents)) return;
  takeOut(inner.contents as Node, inner);
  node.value = JSON.stringify(inner.toJS());
}
