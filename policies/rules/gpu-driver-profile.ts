import { gpuPoolsOf, nodePools } from "../support/node-pools";
import { resourceRule } from "../support/rule";

const formerTag = "SkipGPUDriverInstall";

export const gpuDriverProfile = resourceRule({
  name: "gpu-driver-profile",
  description: "GPU pools say by gpuProfile who installs the driver; the former tag has no effect any more.",
  enforcementLevel: "mandatory",
  severity: "medium",
  remediationSteps: `Set gpuProfile.driver to Install or None and remove the tag ${formerTag}.`,
  on: nodePools,
  check: (resource) => {
    for (const pool of gpuPoolsOf(resource)) {
      pool.mustBe("gpuProfile.driver", "Install", "None");
      const tag = pool
        .inside("tags")
        .keys()
        .find((name) => name.toLowerCase() === formerTag.toLowerCase());
      if (tag !== undefined) pool.report("tags", `hold ${tag}, which AKS ignores; use gpuProfile.driver`);
    }
  },
});
