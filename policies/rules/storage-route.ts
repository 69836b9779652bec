import { modelContainer } from "../../core/model-repository";
import { type Stack, stackRule, type StackResource } from "../support/rule";
import { azure } from "../support/types";

/**
 * IP rules of a storage account do not apply to traffic from its own location (article "Configure Azure Storage firewalls
 * and virtual networks"), so they are no route for the pods.
 */
export const storageRoute = stackRule({
  name: "storage-route",
  description: "The model store is closed to the world and open to the pods; a closed account has a private endpoint.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps:
    "Set networkRuleSet.defaultAction: Deny and give the pods a route: a virtual network rule for the node subnet (with " +
    "the service endpoint Microsoft.Storage), or a private endpoint for blob. IP rules are no route for the pods.",
  check: (stack) => {
    const accounts = stack.all(azure("storage:StorageAccount"));
    const modelStores = modelStoresOf(stack, accounts);
    stack.each(azure("storage:StorageAccount"), (account) => {
      const { inputs } = account;
      const isClosed = inputs.get("publicNetworkAccess") === "Disabled";
      const isReachable = hasBlobEndpoint(stack, account);
      if (isClosed && !isReachable) {
        account.report(
          "publicNetworkAccess is Disabled and there is no private endpoint for blob: nothing can reach it",
        );
      }
      if (!modelStores.has(account) || isClosed) return;
      inputs.mustBe("networkRuleSet.defaultAction", "Deny");
      if (isReachable || inputs.items("networkRuleSet.virtualNetworkRules").length > 0) return;
      if (inputs.read("networkRuleSet.virtualNetworkRules").is === "unknown") return;
      account.report(
        "networkRuleSet leaves the pods no route: there is neither a virtual network rule nor a private endpoint",
      );
    });
  },
});

/** Accounts that hold a container for model releases. */
function modelStoresOf(stack: Stack, accounts: readonly StackResource[]): ReadonlySet<StackResource> {
  const found = new Set<StackResource>();
  stack.each(azure("storage:BlobContainer"), (container) => {
    const { inputs } = container;
    // Azure answers the name as `name`.
    if ((inputs.get("containerName") ?? inputs.get("name")) !== modelContainer) return;
    const account = container.sourcesOf("accountName").find((source) => accounts.includes(source));
    if (account) found.add(account);
    else
      container.report("cannot tell which account this container is in; take accountName from the account's outputs");
  });
  return found;
}

const hasBlobEndpoint = (stack: Stack, account: StackResource): boolean =>
  stack.all(azure("network:PrivateEndpoint")).some(
    (endpoint) =>
      endpoint.sourcesOf("privateLinkServiceConnections").includes(account) &&
      endpoint.inputs.items("privateLinkServiceConnections").some((connection) => {
        const groups = connection.get("groupIds");
        return Array.isArray(groups) && groups.includes("blob");
      }),
  );
