/** Azure built-in roles that the program assigns, with their fixed ids (article "Azure built-in roles"). */
export const roles = {
  acrPull: "7f951dda-4ed3-4680-a7ca-43fe172d538d",
  aksRbacClusterAdmin: "b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b",
  amlDataScientist: "f6c7c914-8db3-469d-8ca1-694a8f32e121",
  contributor: "b24988ac-6180-42a0-ab88-20f7382dd24c",
  keyVaultAdministrator: "00482a5a-887f-4fb3-b363-3b7fe8e74483",
  networkContributor: "4d97b98b-1d4f-4787-a291-c67834d212e7",
  storageBlobDataContributor: "ba92f5b4-2d11-453d-a403-e96b0029c9fe",
  storageBlobDataReader: "2a2b9908-6ea1-4ae2-8e65-a410df84e7d1",
} as const;

export type RoleName = keyof typeof roles;

/** Roles that hand out everything, including rights; never for a whole subscription. */
export const broadRoleIds: readonly string[] = [
  roles.contributor,
  "8e3af657-a8ff-443c-a75c-2fe8c4bcb635", // Owner
  "18d7d88d-d35e-4fb5-a5c3-7773c20a72d9", // User Access Administrator
];

/** Resource id of a built-in role in a subscription. */
export const roleDefinitionId = (subscriptionId: string, role: RoleName): string =>
  `/subscriptions/${subscriptionId}/providers/Microsoft.Authorization/roleDefinitions/${roles[role]}`;
