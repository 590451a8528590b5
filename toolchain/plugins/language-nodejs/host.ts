import type grpc from "@grpc/grpc-js";
import languagePb from "@pulumi/pulumi/proto/language_pb.js";
import pluginPb from "@pulumi/pulumi/proto/plugin_pb.js";
import emptyPb from "google-protobuf/google/protobuf/empty_pb.js";
import type * as pb from "@pulumi/pulumi/proto/language_pb.js";
import { Calls } from "../server/calls.ts";
import { Unimplemented } from "../server/errors.ts";
import type { Service } from "../server/serve.ts";
import { packageVersion } from "../server/version.ts";
import { about } from "./about.ts";
import { installDependencies } from "./install-dependencies.ts";
import { parseOptions } from "./options.ts";
import { programDependencies } from "./program-dependencies.ts";
import { requiredPackages } from "./required-packages.ts";
import { run } from "./run.ts";
import { runPlugin } from "./run-plugin.ts";

/** The LanguageRuntime service. @param engineAddress as given on the command line; Handshake tells it too. */
export function languageHost(engineAddress: string | undefined): Omit<Service, "definition"> {
  const calls = new Calls();
  let engine = engineAddress;
  const refuse = (what: string) =>
    calls.unary(async () => {
      throw new Unimplemented(
        `${what}: not in this stand-in of the Node.js language host\ninstall the official Pulumi CLI, which has it`,
      );
    });

  const implementation = {
    handshake: calls.unary(async (request: pb.LanguageHandshakeRequest) => {
      engine = request.getEngineAddress();
      return new languagePb.LanguageHandshakeResponse();
    }),
    getPluginInfo: calls.unary(async () =>
      new pluginPb.PluginInfo().setVersion(`v${packageVersion("@pulumi/pulumi")}`),
    ),
    getRequiredPackages: calls.unary(async (request: pb.GetRequiredPackagesRequest) =>
      new languagePb.GetRequiredPackagesResponse().setPackagesList(
        requiredPackages(programInfo(request).directory).map((each) => packageDependency(each)),
      ),
    ),
    getRequiredPlugins: calls.unary(async (request: pb.GetRequiredPluginsRequest) =>
      new languagePb.GetRequiredPluginsResponse().setPluginsList(
        requiredPackages(programInfo(request).directory).map(({ name, version, server }) =>
          new pluginPb.PluginDependency().setName(name).setKind("resource").setVersion(version).setServer(server),
        ),
      ),
    ),
    run: calls.unary(async (request: pb.RunRequest, signal) => {
      if (engine === undefined) throw new Error("when debugging or running explicitly, must call Handshake before Run");
      return run(request, engine, signal);
    }),
    runPlugin,
    installDependencies,
    about: calls.unary(async (request: pb.AboutRequest) => {
      const { options, directory } = programInfo(request);
      const found = await about(options, directory);
      const response = new languagePb.AboutResponse().setExecutable(found.executable).setVersion(found.version);
      for (const [key, value] of Object.entries(found.metadata)) response.getMetadataMap().set(key, value);
      return response;
    }),
    getProgramDependencies: calls.unary(async (request: pb.GetProgramDependenciesRequest) => {
      const { directory, options } = programInfo(request);
      const transitive = request.getTransitivedependencies();
      const found = await programDependencies(options.packagemanager, directory, transitive);
      return new languagePb.GetProgramDependenciesResponse().setDependenciesList(
        found.map(({ name, version }) => new languagePb.DependencyInfo().setName(name).setVersion(version)),
      );
    }),
    runtimeOptionsPrompts: calls.unary(async () => new languagePb.RuntimeOptionsResponse()),
    template: calls.unary(async () => new languagePb.TemplateResponse()),
    generateProgram: refuse("GenerateProgram"),
    generateProject: refuse("GenerateProject"),
    generatePackage: refuse("GeneratePackage"),
    pack: refuse("Pack"),
    link: refuse("Link"),
    cancel: calls.unary(async () => {
      calls.cancel();
      return new emptyPb.Empty();
    }),
  };
  return {
    implementation: implementation as unknown as grpc.UntypedServiceImplementation,
    close: () => calls.cancel(),
  };
}

function programInfo(request: { getInfo(): pb.ProgramInfo | undefined }) {
  const info = request.getInfo();
  if (info === undefined) throw new Error("the engine sent no program information; want Pulumi 3.100 or later");
  return { directory: info.getProgramDirectory(), options: parseOptions(info.getOptions()?.toJavaScript() ?? {}) };
}

function packageDependency(required: ReturnType<typeof requiredPackages>[number]) {
  const { name, version, server, parameterization } = required;
  const dependency = new pluginPb.PackageDependency()
    .setName(name)
    .setKind("resource")
    .setVersion(version)
    .setServer(server);
  if (parameterization) {
    dependency.setParameterization(
      new pluginPb.PackageParameterization()
        .setName(parameterization.name)
        .setVersion(parameterization.version)
        .setValue(parameterization.value),
    );
  }
  return dependency;
}
