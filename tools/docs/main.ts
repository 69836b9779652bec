import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { generate } from "./generate";

/** `npm run docs` writes what is generated; `-- --check` only says whether it is up to date (exit 1 when not). */
const { check } = parseArgs({ options: { check: { type: "boolean", default: false } } }).values;

void generate((file) => readFileSync(file, "utf8")).then((files) => {
  for (const [file, text] of Object.entries(files)) {
    if (readOrEmpty(file) === text) continue;
    if (check) {
      console.error(`${file} is out of date; run npm run docs`);
      process.exitCode = 1;
    } else {
      writeFileSync(file, text);
      console.log(`wrote ${file}`);
    }
  }
});

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
