import { mlIdentityDatastores } from "../../policies/rules/ml-identity-datastores";
import { mlWorkspaceLinked } from "../../policies/rules/ml-workspace-linked";
import { datastore, workspace } from "./fixtures/azure";
import { promises } from "./support/promises";
import { unknown } from "./support/values";

const links = ["storageAccount", "keyVault", "applicationInsights", "containerRegistry"];

promises(mlWorkspaceLinked, "workspace (M3)", {
  of: workspace,
  refuses: [
    {
      path: "identity.type",
      to: "SystemAssigned",
      saying: /identity\.type is SystemAssigned; it must be UserAssigned/,
    },
    { path: "keyVault", to: "", saying: /keyVault is missing/ },
  ],
  needs: [
    ...links.map((path) => ({ path, saying: new RegExp(`^${path} is missing; it must be the id of a resource$`) })),
    { path: "identity", saying: /identity\.type is missing/ },
    { path: "primaryUserAssignedIdentity", saying: /primaryUserAssignedIdentity is missing/ },
  ],
  reads: ["identity.type"],
  allows: [
    ...links.map((path) => ({ path, to: unknown, because: `a ${path} that Azure is about to make` })),
    { path: "identity.type", to: "SystemAssigned,UserAssigned", because: "both kinds of identity" },
  ],
});

promises(mlIdentityDatastores, "workspace (M4)", {
  of: workspace,
  refuses: [
    {
      path: "systemDatastoresAuthMode",
      to: "AccessKey",
      saying: /systemDatastoresAuthMode is AccessKey; it must be Identity/,
    },
  ],
  needs: [{ path: "systemDatastoresAuthMode", saying: /systemDatastoresAuthMode is missing/ }],
  reads: ["systemDatastoresAuthMode"],
});

promises(mlIdentityDatastores, "datastore (M4)", {
  of: datastore,
  refuses: [
    { path: "properties.credentials.credentialsType", to: "AccountKey", saying: /credentialsType is AccountKey/ },
    { path: "properties.serviceDataAccessAuthIdentity", to: "None", saying: /serviceDataAccessAuthIdentity is None/ },
  ],
  needs: [
    { path: "properties.credentials", saying: /credentialsType is missing/ },
    { path: "properties.serviceDataAccessAuthIdentity", saying: /serviceDataAccessAuthIdentity is missing/ },
  ],
  reads: ["properties.credentials.credentialsType", "properties.serviceDataAccessAuthIdentity"],
});
