import { resourceRule } from "../support/rule";
import { azure } from "../support/types";

export const registryNoAdminUser = resourceRule({
  name: "registry-no-admin-user",
  description: "Container registries have no admin password and give nothing to strangers.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps:
    "Set adminUserEnabled: false and leave anonymousPullEnabled off; clusters pull by the role AcrPull.",
  on: azure("containerregistry:Registry"),
  check: ({ inputs }) => {
    inputs.mustBe("adminUserEnabled", false);
    inputs.mayOnly("anonymousPullEnabled", (enabled) => enabled === false, "must be false");
  },
});
