import { stackRule, type StackResource } from "../support/rule";
import { azure } from "../support/types";

export const federatedCredentialsChained = stackRule({
  name: "federated-credentials-chained",
  description: "Federated credentials of one identity are written one after another; Azure refuses concurrent writes.",
  enforcementLevel: "mandatory",
  severity: "medium",
  remediationSteps: "Make each credential of an identity depend on the one before it (dependsOn).",
  check: (stack) => {
    for (const credentials of byIdentity(stack.all(azure("managedidentity:FederatedIdentityCredential")))) {
      credentials.forEach((credential, index) => {
        const unordered = credentials
          .slice(0, index)
          .filter((other) => !credential.dependsOn(other) && !other.dependsOn(credential));
        for (const other of unordered) credential.report(`and ${other.name} of the same identity are written at once`);
      });
    }
  },
});

/** Credentials whose identity cannot be told are taken for ones of the same. */
function byIdentity(credentials: readonly StackResource[]): StackResource[][] {
  const groups = new Map<string, StackResource[]>();
  for (const credential of credentials) {
    const [identity] = credential.sourcesOf("resourceName");
    const given = credential.inputs.read("resourceName");
    const key = identity?.urn ?? (given.is === "present" ? String(given.value) : "");
    groups.set(key, [...(groups.get(key) ?? []), credential]);
  }
  return [...groups.values()];
}
