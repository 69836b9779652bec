import * as path from "node:path";

/** Whether this program runs in a sandbox (see sandbox/enter.ts). */
export const inSandbox = (): boolean => process.env["TRITON_AZURE_E2E_RUN"] !== undefined;

/** Folder of this run, removed at its end. Fails outside a sandbox, where the parts would change the machine itself. */
export function runFolder(...below: string[]): string {
  const folder = process.env["TRITON_AZURE_E2E_RUN"];
  if (folder === undefined) throw new Error("The real parts run in a sandbox alone: start them by enterSandbox.");
  return path.join(folder, ...below);
}

/** Folder of every part's log, kept when the run fails. */
export const logFolder = (): string => runFolder("logs");
