import { execa } from "execa";

const checkout = new URL("../../../", import.meta.url).pathname;

/** Runs a module in the checkout as the program of a stack runs, and gives back what it printed. */
async function run(program: string): Promise<string> {
  const args = ["--import", "./toolchain/pulumi/lean-sdk.ts", "--input-type=commonjs", "--eval", program];
  return (await execa(process.execPath, args, { cwd: checkout })).stdout;
}

const compilerLoaded = `require("node:util").types.isProxy(require("@pulumi/pulumi/typescript-shim")) ? "no" : "yes"`;

test("the SDK starts without the TypeScript compiler", async () => {
  expect(await run(`require("@pulumi/pulumi"); console.log(${compilerLoaded})`)).toBe("no");
});

test("who writes a function out as text gets the compiler then", async () => {
  const text = await run(`
    const pulumi = require("@pulumi/pulumi");
    const one = 1;
    pulumi.runtime.serializeFunction(() => one + 2).then(({ text }) => console.log(text));
  `);
  expect(text).toContain("one: 1");
  expect(text).toContain("return () => one + 2;");
});

test("the compiler is the real one for whoever asks for it", async () => {
  const direct = await execa(process.execPath, ["--eval", 'console.log(require("typescript").version)'], {
    cwd: checkout,
  });
  const program = `require("@pulumi/pulumi"); console.log(require("@pulumi/pulumi/typescript-shim").version)`;
  expect(await run(program)).toBe(direct.stdout);
});
