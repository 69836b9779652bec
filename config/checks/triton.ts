import { parseBytes } from "../../core/quantity";
import { nearest } from "../../core/nearest";
import { ownedOption } from "../../core/triton-options";
import { firstKeylessRelease, readsBlobWithoutKey } from "../../core/triton-image";
import type { Problem } from "../problem";
import { check } from "./check";

export const tritonOptions = check(
  ["triton", "modelStore", "cluster", "releases", "release"],
  (values, { hasAdminKey }) => {
    const { triton, modelStore, cluster, releases, release } = values;
    const problems: Problem[] = [];
    const say = (key: string, message: string, severity?: Problem["severity"]) =>
      problems.push({ key: `triton.${key}`, message, ...(severity && { severity }) });

    if (modelStore.auth === "workload-identity") {
      const keyless = readsBlobWithoutKey(triton.image.tag);
      if (keyless === false) {
        say(
          "image.tag",
          `${triton.image.tag} cannot read Blob Storage without a key; use ${firstKeylessRelease}-py3 or later, or modelStore.auth: account-key`,
        );
      } else if (keyless === undefined) {
        say(
          "image.tag",
          `${triton.image.tag} does not tell its Triton release; workload identity needs ${firstKeylessRelease} or later`,
          "warning",
        );
      }
    }
    if (triton.modelControlMode === "poll") {
      say(
        "modelControlMode",
        "poll sees no change in Blob Storage, whose folders have no dates; publish a release and set triton-azure:release",
      );
    }
    if (triton.loadModels.length > 0 && triton.modelControlMode !== "explicit") {
      say("loadModels", "only used with modelControlMode: explicit; set that or remove the list");
    }
    triton.extraArgs.forEach((argument, index) => {
      const owned = ownedOption(argument);
      if (owned !== undefined) say(`extraArgs[${index}]`, `--${owned} has a key of its own or is fixed; remove it`);
    });
    if (!triton.exitOnError && triton.strictReadiness) {
      say(
        "strictReadiness",
        "with exitOnError: false a model that fails to load keeps every replica unready; set this to false as well",
        "warning",
      );
    }
    const served = releases.find(({ id }) => id === release)?.models.map(({ name }) => name);
    triton.loadModels.forEach((model, index) => {
      if (served !== undefined && model !== "*" && !served.includes(model)) {
        say(
          `loadModels[${index}]`,
          `release ${release} has no model ${model}; did you mean ${nearest(model, served) ?? served.join(", ")}?`,
        );
      }
    });
    const { memory, sharedMemory } = triton.resources;
    if ((parseBytes(sharedMemory) ?? 0) >= (parseBytes(memory) ?? 0)) {
      say(
        "resources.sharedMemory",
        `${sharedMemory} counts into the memory limit of ${memory} and leaves nothing; lower it`,
      );
    }
    if (cluster.timeSlicing > 1 && triton.resources.gpus > 1) {
      say(
        "resources.gpus",
        `with cluster.timeSlicing a pod gets one slice, and the device plugin refuses more; ask for 1`,
      );
    }
    if (triton.restrictedApis.length > 0 && !hasAdminKey) {
      say("restrictedApis", 'needs a key: pulumi config set --secret triton-azure:adminKey "$(openssl rand -hex 32)"');
    }
    return problems;
  },
);
