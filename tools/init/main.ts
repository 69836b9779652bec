import { writeFile } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { ConfigurationError } from "../../config";
import { type Ask, collect, usage, UsageError } from "./answers";
import { stackFile } from "./stack-file";

/** Exit codes: 0 written, 1 the answers make no valid configuration or the file is there, 2 usage. */
async function main(args: readonly string[]): Promise<number> {
  const terminal = process.stdin.isTTY ? createInterface({ input: process.stdin, output: process.stdout }) : undefined;
  const ask: Ask | undefined =
    terminal &&
    (async (question, fallback) =>
      (await terminal.question(`${question}${fallback ? ` [${fallback}]` : ""}: `)) || (fallback ?? ""));
  try {
    const call = await collect(args, ask);
    if (call === undefined) {
      console.log(usage);
      return 0;
    }
    const { text, warnings } = stackFile(call.answers);
    const file = `Pulumi.${call.answers.stack}.yaml`;
    await writeFile(file, text, { flag: call.force ? "w" : "wx" });
    for (const { key, message } of warnings) console.error(`note: ${key}: ${message}`);
    console.log(`Wrote ${file}. Next: npm run preview -- --stack ${call.answers.stack}`);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`${error.message}\n\n${usage}`);
      return 2;
    }
    if (error instanceof ConfigurationError) {
      console.error(error.message);
      return 1;
    }
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      console.error(`${(error as NodeJS.ErrnoException).path} is there already; --force replaces it`);
      return 1;
    }
    throw error;
  } finally {
    terminal?.close();
  }
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
