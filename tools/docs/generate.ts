import { format, resolveConfig } from "prettier";
import { rules } from "../../policies/rules";
import { reference, shortTable, stackFileSchema } from "./configuration";
import { policiesTable } from "./policies-table";
import { replaceSection } from "./sections";

/** Everything that is generated from schemas and policies: file name to text, formatted as the rest of the project. */
export async function generate(read: (file: string) => string): Promise<Record<string, string>> {
  const readme = [
    ["configuration", shortTable()],
    ["policies", policiesTable(rules)],
  ].reduce((text, [name, content]) => replaceSection(text, name ?? "", content ?? ""), read("README.md"));
  const files = {
    "README.md": readme,
    "docs/configuration.md": replaceSection(read("docs/configuration.md"), "reference", reference()),
    "docs/stack-file.schema.json": JSON.stringify(stackFileSchema()),
  };
  const formatted = Object.entries(files).map(async ([file, text]): Promise<[string, string]> => {
    const options = await resolveConfig(file);
    return [file, await format(text, { ...options, filepath: file })];
  });
  return Object.fromEntries(await Promise.all(formatted));
}
