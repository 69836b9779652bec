import { resourceRule } from "../support/rule";
import { azure } from "../support/types";

export const storageTls = resourceRule({
  name: "storage-tls",
  description: "Storage accounts speak TLS 1.2 or later, and nothing unencrypted.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps: "Set minimumTlsVersion: TLS1_2 and leave enableHttpsTrafficOnly on.",
  on: azure("storage:StorageAccount"),
  check: ({ inputs }) => {
    inputs.mustBe("minimumTlsVersion", "TLS1_2", "TLS1_3");
    // On by default since API version 2019-04-01.
    inputs.mayOnly("enableHttpsTrafficOnly", (only) => only === true, "must be true");
  },
});
