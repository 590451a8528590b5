import { serve } from "../server/index.ts";
import { kubernetesProvider } from "./provider.ts";

await serve(kubernetesProvider());
