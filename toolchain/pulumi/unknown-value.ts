/** How Pulumi writes a value that is not known yet (`@pulumi/pulumi/runtime/rpc`, unknownValue). */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
