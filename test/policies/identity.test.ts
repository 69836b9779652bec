import { describe, expect, it } from "vitest";
import { broadRoleIds } from "../../core/roles";
import { federatedCredentialsChained } from "../../policies/rules/federated-credentials-chained";
import { federatedSubjectsExact } from "../../policies/rules/federated-subjects-exact";
import { registryNoAdminUser } from "../../policies/rules/registry-no-admin-user";
import { rolesNarrow } from "../../policies/rules/roles-narrow";
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
import { changed, unknown } from "./support/values";

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

promises(rolesNarrow, "broad role on a resource group", { of: broadRoleAssignment(groupScope), reads: ["scope"] });

describe("roles-narrow", () => {
  const judge = (props: Fixture["props"]) => verdicts(rolesNarrow, [{ ...roleAssignment, props }]);
  const wide = [
    subscriptionScope,
    "/",
    "/providers/Microsoft.Management/managementGroups/all",
    `${subscriptionScope}/resourceGroups`,
  ];

  for (const scope of wide) {
    for (const guid of broadRoleIds) {
      it(`refuses the role ${guid} on ${scope}`, async () => {
        const found = await judge({ ...roleAssignment.props, roleDefinitionId: roleId(guid.toUpperCase()), scope });
        expect(found.map(({ message }) => message)).toEqual([
          expect.stringContaining("must not be Owner, Contributor or User Access Administrator"),
          expect.stringContaining("must be a resource or resource group"),
        ]);
      });
    }
  }
  it("allows a narrow role, wherever", async () => {
    expect(await judge({ ...roleAssignment.props, scope: subscriptionScope })).toEqual([]);
    expect(await judge({ ...roleAssignment.props, scope: unknown })).toEqual([]);
  });
  it("allows a role that is not known yet on a known resource group", async () => {
    expect(await judge({ ...roleAssignment.props, roleDefinitionId: unknown })).toEqual([]);
  });
  it("reports that a broad role's scope, or both, are not known yet", async () => {
    const broad = broadRoleAssignment(unknown).props;
    expect(await judge(broad)).toMatchObject([
      { level: "advisory", message: expect.stringContaining(".scope") as unknown },
    ]);
    const both = await judge({ ...broad, roleDefinitionId: unknown });
    expect(both).toMatchObject([
      { level: "advisory", message: expect.stringContaining("roleDefinitionId, scope") as unknown },
    ]);
    const vagueRole = await judge({ ...broad, roleDefinitionId: unknown, scope: subscriptionScope });
    expect(vagueRole).toMatchObject([{ level: "advisory" }]);
  });
  it("refuses an assignment without role or scope", async () => {
    expect(await judge(changed(roleAssignment.props, "roleDefinitionId", undefined))).toMatchObject([
      { level: "mandatory" },
    ]);
    const found = await judge({ principalType: "User" });
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringContaining("roleDefinitionId is missing"),
      expect.stringContaining("scope is missing"),
    ]);
    expect(await judge(changed(broadRoleAssignment(groupScope).props, "scope", undefined))).toHaveLength(2);
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
