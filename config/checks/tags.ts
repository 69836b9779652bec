import { check } from "./check";

/** Tags that the program sets itself. */
export const programTags = ["project", "stack", "environment", "managed-by"] as const;

export const reservedTags = check(["tags"], ({ tags }) =>
  Object.keys(tags)
    .filter((name) => (programTags as readonly string[]).includes(name.toLowerCase()))
    .map((name) => ({ key: `tags.${name}`, message: "the program sets this tag itself; choose another name" })),
);
