/**
 * What the storage accounts of the stack have in common. Flat, as Triton's and Azure ML's use of Blob Storage demands
 * (Azure ML: "Cannot use storage with HNS enabled"); neither that nor the kind can be changed later.
 */
export const flatAccount = {
  kind: "StorageV2",
  accessTier: "Hot",
  isHnsEnabled: false,
  isLocalUserEnabled: false,
  minimumTlsVersion: "TLS1_2",
  enableHttpsTrafficOnly: true,
  allowBlobPublicAccess: false,
  allowCrossTenantReplication: false,
  defaultToOAuthAuthentication: true,
} as const;
