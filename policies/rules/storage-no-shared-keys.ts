import { accountKeyTag } from "../../core/model-repository";
import { resourceRule } from "../support/rule";
import { azure } from "../support/types";

export const storageNoSharedKeys = resourceRule<{ allowAccountKey: boolean }>({
  name: "storage-no-shared-keys",
  description: "Storage accounts take no account keys, unless the stack chose them for Triton.",
  enforcementLevel: "mandatory",
  severity: "critical",
  remediationSteps:
    "Set allowSharedKeyAccess: false. Where Triton is older than 26.05 and needs the key, set modelStore.auth: account-key " +
    `in the stack, which tags the account ${accountKeyTag.name}: ${accountKeyTag.value}.`,
  configSchema: {
    properties: {
      allowAccountKey: {
        type: "boolean",
        default: true,
        description: "Whether stacks may choose account keys for Triton.",
      },
    },
  },
  on: azure("storage:StorageAccount"),
  check: ({ inputs, config }) => {
    const { name, value } = accountKeyTag;
    const tag = inputs.read(["tags", name]);
    if (config.allowAccountKey && tag.is === "present" && tag.value === value) return;
    inputs.mustBe("allowSharedKeyAccess", false);
  },
});
