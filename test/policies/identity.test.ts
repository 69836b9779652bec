import { describe, expect, it } from "vitest";
import { broadRoleIds } from "../../core/roles";
import { federatedCredentialsChained } from "../../policies/rules/federated-credentials-chained";
import { federatedSubjectsExact } from "../../policies/rules/federated-subjects-exact";
import { registryNoAdminUser } from "../../policies/rules/registry-no-admin-user";
import { rolesNarrow } from "../../policies/rules/roles-narrow";
import { rolesScoped } from "../../policies/rules/roles-scoped";
import { rolesTyped } from "../../policies/rules/roles-typed";
import { vaultPurgeProtection } from "../../policies/rules/vault-purge-protection";
import { vaultRbac } from "../../policies/rules/vault-rbac";
import {
  broadRoleAssignment,
  federatedCredential,
  groupScope,
  identity,
  registry,
  roleAssignment,
  subscriptionScope,
  vault,
} from "./fixtures/azure";
import { type Fixture, verdicts } from "./support/analyzer";
import { promises } from "./support/promises";
import { unknown } from "./support/values";

promises(rolesTyped, "role assignment (P18)", {
  of: roleAssignment,
  refuses: [{ path: "principalType", to: "Application", saying: /principalType is Application; it must be/ }],
  needs: [
    { path: "principalType", saying: /principalType is missing/ },
    { path: "principalId", saying: /principalId is missing/ },
  ],
  reads: ["principalType"],
  allows: [{ path: "principalId", to: unknown, because: "a principal that Azure is about to make" }],
});

const roleId = (guid: string) => `${subscriptionScope}/providers/Microsoft.Authorization/roleDefinitions/${guid}`;

promises(rolesNarrow, "narrow role on a resource", {
  of: roleAssignment,
  needs: [
    { path: "roleDefinitionId", saying: /roleDefinitionId is missing/ },
    { path: "scope", saying: /scope is missing/ },
  ],
  allows: [
    { path: "scope", to: subscriptionScope, because: "a narrow role on a subscription" },
    { path: "roleDefinitionId", to: unknown, because: "any role on a resource" },
  ],
});

describe("roles-narrow", () => {
  const judge = (changes: Record<string, unknown>) =>
    verdicts(rolesNarrow, [{ ...roleAssignment, props: { ...roleAssignment.props, ...changes } }]);
  const everywhere = [
    subscriptionScope,
    "/",
    "/providers/Microsoft.Management/managementGroups/all",
    `${subscriptionScope}/resourceGroups`,
  ];

  it.each(everywhere.flatMap((scope) => broadRoleIds.map((guid) => [guid, scope] as const)))(
    "refuses the role %s on %s",
    async (guid, scope) => {
      const [first, ...others] = await judge({ roleDefinitionId: roleId(guid.toUpperCase()), scope });
      expect(others).toEqual([]);
      expect(first).toMatchObject({ level: "mandatory" });
      expect(first?.message).toMatch(`it must not be given on ${scope}`);
    },
  );
  it("allows a broad role on a resource group", async () => {
    expect(await judge(broadRoleAssignment(groupScope).props)).toEqual([]);
  });
  it("reports that the role on a subscription is not known yet", async () => {
    expect(await judge({ roleDefinitionId: unknown, scope: subscriptionScope })).toMatchObject([
      { level: "advisory", message: expect.stringContaining("roleDefinitionId") as unknown },
    ]);
  });
});

describe("roles-scoped (C1)", () => {
  const judge = (assignment: Fixture, source = "vault") =>
    verdicts(rolesScoped, [vault, managementGroup, { ...assignment, from: source === "" ? {} : { scope: [source] } }]);
  const managementGroup: Fixture = { type: "azure-native:management:ManagementGroup", name: "all", props: {} };
  const broad = broadRoleAssignment(unknown);
  const vague = { ...broad, props: { ...broad.props, roleDefinitionId: unknown } };

  it("allows a scope that comes from a resource, whatever the role", async () => {
    expect(await judge(broad)).toEqual([]);
    expect(await judge(vague)).toEqual([]);
  });
  it.each([
    ["a broad role", broad],
    ["a role that is not known either", vague],
  ])("reports %s whose scope comes from nowhere", async (_, assignment) => {
    expect(await judge(assignment, "")).toMatchObject([
      { level: "advisory", message: expect.stringContaining("triton-reads-models.scope") as unknown },
    ]);
  });
  it("refuses the scope of a management group", async () => {
    expect(await judge(broad, "all")).toMatchObject([
      { level: "mandatory", message: expect.stringContaining("management:ManagementGroup") as unknown },
    ]);
  });
  it("leaves known scopes to roles-narrow, and narrow roles alone", async () => {
    expect(await judge(broadRoleAssignment(subscriptionScope), "")).toEqual([]);
    expect(await judge({ ...roleAssignment, props: { ...roleAssignment.props, scope: unknown } }, "")).toEqual([]);
  });
});

promises(federatedSubjectsExact, "credential", {
  of: federatedCredential,
  refuses: [
    {
      path: "subject",
      to: "system:serviceaccount:triton",
      saying: /subject is system:serviceaccount:triton; it must be/,
    },
    { path: "subject", to: "system:serviceaccount:*:*", saying: /it must be system:serviceaccount:<namespace>:<name>/ },
    { path: "subject", to: "system:serviceaccount:triton:triton ", saying: /it must be/ },
    { path: "audiences", to: ["api://other"], saying: /audiences is \["api:\/\/other"\]; it must be/ },
    { path: "audiences", to: ["api://AzureADTokenExchange", "api://other"], saying: /it must be/ },
  ],
  needs: [
    { path: "subject", saying: /subject is missing/ },
    { path: "audiences", saying: /audiences is missing/ },
    { path: "issuer", saying: /issuer is missing/ },
  ],
  reads: ["subject", "audiences"],
  allows: [{ path: "issuer", to: unknown, because: "the issuer of a cluster that Azure is about to make" }],
});

describe("federated-credentials-chained (P17)", () => {
  const second: Fixture = { ...federatedCredential, name: "second" };
  const third: Fixture = { ...federatedCredential, name: "third", dependencies: ["second"] };
  const chained: Fixture = { ...second, dependencies: [federatedCredential.name ?? ""] };
  const judge = (...credentials: Fixture[]) => verdicts(federatedCredentialsChained, [identity, ...credentials]);

  it("allows a single credential, and a chain", async () => {
    expect(await judge(federatedCredential)).toEqual([]);
    expect(await judge(federatedCredential, chained, third)).toEqual([]);
  });
  it("refuses two credentials of one identity without order", async () => {
    expect(await judge(federatedCredential, second)).toEqual([
      { level: "mandatory", name: "second", message: "and triton-credential of the same identity are written at once" },
    ]);
  });
  it("allows two credentials of two identities", async () => {
    const other = { ...identity, name: "other-identity" };
    expect(await judge(federatedCredential, other, { ...second, from: { resourceName: ["other-identity"] } })).toEqual(
      [],
    );
  });
  it("takes credentials whose identity is not known for ones of the same", async () => {
    const lost = (name: string) => ({ ...federatedCredential, name, from: {}, props: { resourceName: unknown } });
    expect(await judge(lost("a"), lost("b"))).toHaveLength(1);
    const gone = (name: string) => ({ ...federatedCredential, name, from: {}, props: {} });
    expect(await judge(gone("a"), gone("b"))).toHaveLength(1);
  });
});

promises(registryNoAdminUser, "registry", {
  of: registry,
  refuses: [
    { path: "adminUserEnabled", to: true, saying: /adminUserEnabled is true; it must be false/ },
    { path: "anonymousPullEnabled", to: true, saying: /anonymousPullEnabled is true/ },
  ],
  needs: [{ path: "adminUserEnabled", saying: /adminUserEnabled is missing/ }],
  reads: ["adminUserEnabled", "anonymousPullEnabled"],
});

promises(vaultRbac, "vault", {
  of: vault,
  refuses: [
    { path: "properties.enableRbacAuthorization", to: false, saying: /enableRbacAuthorization is false/ },
    { path: "properties.enableSoftDelete", to: false, saying: /enableSoftDelete is false/ },
  ],
  needs: [{ path: "properties.enableRbacAuthorization", saying: /enableRbacAuthorization is missing/ }],
  reads: ["properties", "properties.enableRbacAuthorization"],
});

promises(vaultPurgeProtection, "vault", {
  of: vault,
  refuses: [{ path: "properties.enablePurgeProtection", to: false, saying: /enablePurgeProtection is false/ }],
  needs: [{ path: "properties.enablePurgeProtection", saying: /enablePurgeProtection is missing/ }],
  reads: ["properties.enablePurgeProtection"],
});
