import * as fs from "node:fs";
import * as path from "node:path";
import { exitCodes, ReportedError } from "./reported-error";

/** A place to write to that cannot be used; the message says why. */
export class OutputPathError extends ReportedError {
  constructor(message: string) {
    super(message, exitCodes.usage);
  }
}

/**
 * Makes sure, before any work, that a file can be written.
 *
 * @throws OutputPathError when its folder is missing or closed to us, or a folder has its name
 */
export function checkWritable(file: string): void {
  const folder = path.dirname(path.resolve(file));
  if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new OutputPathError(`cannot write ${file}: there is no folder ${path.dirname(file)}`);
  }
  const found = fs.statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw new OutputPathError(`cannot write ${file}: it is a folder`);
  // A rename would put a file in the place of the device.
  if (file === "" || (found !== undefined && !found.isFile())) {
    throw new OutputPathError(`cannot write "${file}": it is no file`);
  }
  try {
    fs.accessSync(folder, fs.constants.W_OK);
  } catch {
    throw new OutputPathError(`cannot write ${file}: no permission to write into ${path.dirname(file)}`);
  }
}

/** Writes a file as a whole or not at all: readers never meet half of it, an interrupted run leaves nothing behind. */
export function writeWhole(file: string, text: string): void {
  const target = fs.existsSync(file) ? fs.realpathSync(file) : file;
  const draft = `${target}.${process.pid}.tmp`;
  try {
    fs.writeFileSync(draft, text);
    fs.renameSync(draft, target);
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw new OutputPathError(`cannot write ${file}: ${(error as Error).message}`);
  }
}
