/**
 * Runs Azurite's blob server and takes over changes of its accounts while it runs. Arguments: Azurite's installed folder,
 * a file of accounts in the form of `AZURITE_ACCOUNTS`, then Azurite's own arguments.
 */
import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as path from "node:path";

const [folder = "", accountsFile = "", ...azuriteArgs] = process.argv.slice(2);
const source = path.join(folder, "node_modules/azurite/dist/src");
const requireAzurite = createRequire(path.join(source, "main.js"));
const refreshMs = 200;

const readAccounts = (): void => {
  process.env["AZURITE_ACCOUNTS"] = fs.readFileSync(accountsFile, "utf8");
};

// Azurite reads its accounts again every so often, which by default is every minute.
const constants = requireAzurite("./common/utils/constants") as { DEFAULT_ACCOUNTS_REFRESH_INTERVAL: number };
constants.DEFAULT_ACCOUNTS_REFRESH_INTERVAL = refreshMs;
readAccounts();
setInterval(readAccounts, refreshMs).unref();
process.argv = [process.execPath, path.join(source, "blob/main.js"), ...azuriteArgs];
requireAzurite("./blob/main.js");
