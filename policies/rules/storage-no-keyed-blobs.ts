import { stackRule } from "../support/rule";
import { azure } from "../support/types";

export const storageNoKeyedBlobs = stackRule({
  name: "storage-no-keyed-blobs",
  description: "No storage.Blob writes to an account that refuses account keys, which that resource uses.",
  enforcementLevel: "mandatory",
  severity: "medium",
  remediationSteps: "Publish files outside of the program, signed in by Entra, as `npm run models` does.",
  check: (stack) => {
    const accounts = stack.all(azure("storage:StorageAccount"));
    stack.each(azure("storage:Blob"), (blob) => {
      const sources = blob.sourcesOf("accountName").filter((source) => accounts.includes(source));
      // Without a source the account may be any.
      for (const account of sources.length > 0 ? sources : accounts) {
        if (account.inputs.get("allowSharedKeyAccess") === true) continue;
        blob.report(`writes by account key, which the account ${account.name} refuses (allowSharedKeyAccess)`);
      }
      if (accounts.length === 0) blob.report("writes by account key to an account that is not part of the stack");
    });
  },
});
