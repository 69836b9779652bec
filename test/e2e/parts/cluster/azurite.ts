import * as fs from "node:fs";
import * as path from "node:path";
import { authorityFolder } from "../build/authority";
import { azuriteFolder } from "../build/npm";
import { addresses } from "../lib/addresses";
import { BlobClient } from "../lib/blob-client";
import { certificateAuthority, issue } from "../lib/certificates";
import { answersHttps } from "../lib/https";
import { assertFree } from "../lib/ports";
import { PartProcess, until } from "../lib/process";
import { logFolder, runFolder } from "../lib/sandbox";

/** One or two account keys, base64. */
export type AccountKeys = readonly [string] | readonly [string, string];

/** Azurite as the blob endpoint `https://<account>.blob.core.windows.net` of every storage account. */
export class Azurite {
  private readonly accounts = new Map<string, AccountKeys>();
  private process: PartProcess | undefined;

  /** Adds a storage account or changes its keys, and waits until they are honoured. Its blobs stay. */
  async setAccount(name: string, keys: AccountKeys): Promise<void> {
    this.accounts.set(name, keys);
    this.writeAccounts();
    if (this.process === undefined) return;
    await until(`Azurite knows the keys of ${name}`, () => accepts(name, keys), { timeoutMs: 20_000 });
  }

  /** Blob Storage of an account, signed with its first key. */
  client(name: string): BlobClient {
    const keys = this.accounts.get(name);
    if (keys === undefined) throw new Error(`no storage account ${name}`);
    return new BlobClient(name, keys[0]);
  }

  /** Removes a storage account with all its blobs; that there is none is fine. */
  async removeAccount(name: string): Promise<void> {
    const keys = this.accounts.get(name);
    if (keys === undefined) return;
    if (this.process !== undefined) {
      const client = this.client(name);
      for (const container of await client.containers()) await client.deleteContainer(container);
    }
    this.accounts.delete(name);
    this.writeAccounts();
    if (this.process === undefined) return;
    await until(`Azurite has forgotten ${name}`, async () => !(await accepts(name, keys)), { timeoutMs: 20_000 });
  }

  /** Starts it with the accounts and blobs that it had, if any. */
  async start(): Promise<void> {
    await assertFree("Azurite", addresses.blobStorage, 443);
    this.writeAccounts();
    const folder = this.folder;
    const authority = await certificateAuthority(authorityFolder());
    const anyAccount = "*.blob.core.windows.net";
    const certificate = await issue(authority, folder, {
      file: "server",
      commonName: anyAccount,
      dnsNames: [anyAccount],
    });
    this.process = new PartProcess({
      name: "azurite",
      command: process.execPath,
      args: [
        ...["-r", "ts-node/register/transpile-only", path.join(__dirname, "azurite-server.ts")],
        ...[azuriteFolder(), this.accountsFile],
        ...["--blobHost", addresses.blobStorage, "--blobPort", "443"],
        ...["--cert", certificate.certificate, "--key", certificate.key],
        ...["--location", folder, "--skipApiVersionCheck", "--disableTelemetry", "--oauth", "basic"],
      ],
      cwd: __dirname,
      logs: logFolder(),
    });
    // Any answer will do, and without credentials it is a refusal.
    await this.process.ready(() => answersHttps(`https://${addresses.blobStorage}/`, 500));
  }

  async stop(): Promise<void> {
    // At an interrupt it writes its tables to disk.
    await this.process?.stop("SIGINT");
    this.process = undefined;
  }

  private get folder(): string {
    return runFolder("azurite");
  }

  private get accountsFile(): string {
    return path.join(this.folder, "accounts.txt");
  }

  private writeAccounts(): void {
    fs.mkdirSync(this.folder, { recursive: true });
    // Without any account Azurite falls back to its well-known one, whose key everyone knows.
    const accounts = [...this.accounts].map(([name, keys]) => [name, ...keys].join(":"));
    const unfinished = `${this.accountsFile}.new`;
    fs.writeFileSync(unfinished, accounts.length === 0 ? "none:bm9uZQ==" : accounts.join(";"), { mode: 0o600 });
    fs.renameSync(unfinished, this.accountsFile);
  }
}

const accepts = async (name: string, keys: AccountKeys): Promise<boolean> => {
  for (const key of keys) {
    const listed = await new BlobClient(name, key).containers().then(
      () => true,
      () => false,
    );
    if (!listed) return false;
  }
  return true;
};
