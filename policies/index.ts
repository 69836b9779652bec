import { PolicyPack } from "@pulumi/policy";
import { rules } from "./rules";

// Starts a server and prints its port, so nothing else may import this file; tests and preview import the rules.
new PolicyPack("triton-azure-policies", {
  policies: rules,
  enforcementLevel: "mandatory",
  displayName: "Triton on Azure",
  description: "Keeps an NVIDIA Triton deployment on Azure private, keyless, supported and within its GPU budget.",
});
