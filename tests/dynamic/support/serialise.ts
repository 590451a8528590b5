import pulumi from "@pulumi/pulumi";

// Run by plain node: creates one resource of every class that the given files export, with a monitor that only listens,
// and prints the text that Pulumi would keep in the state, by class name.
const texts: Record<string, string> = {};

await pulumi.runtime.setMocks({
  newResource: ({ type, name, inputs }) => {
    texts[type.replace(/^.*:/, "")] = inputs.__provider;
    return { id: name, state: inputs };
  },
  call: ({ inputs }) => inputs,
});

for (const file of process.argv.slice(2)) {
  const module = (await import(file)) as Record<string, unknown>;
  for (const exported of Object.values(module)) {
    if (isResource(exported)) new exported("sample", {});
  }
}
await pulumi.runtime.disconnect();
console.log(JSON.stringify(texts));

function isResource(value: unknown): value is new (name: string, args: object) => pulumi.CustomResource {
  return typeof value === "function" && value.prototype instanceof pulumi.CustomResource;
}
