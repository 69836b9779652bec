import tseslint from "typescript-eslint";

/** A call inside a callback given to `.apply(...)`, whatever the depth. */
const inApply = (inner) =>
  `CallExpression[callee.property.name="apply"] > :matches(ArrowFunctionExpression, FunctionExpression) ${inner}`;

/**
 * Inside `.apply` a value may or may not ever arrive: what is created there is missing from previews,
 * and what is asserted there may never run.
 */
const nothingInsideApply = [
  {
    selector: inApply("NewExpression[callee.type='MemberExpression'][callee.property.name=/^[A-Z]/]"),
    message: "Create resources outside .apply: a preview does not see what is created inside.",
  },
  {
    selector: inApply("CallExpression[callee.name='expect']"),
    message: "Assert on an awaited value (test/support/outputs.ts): an assertion inside .apply may never run.",
  },
];

export default tseslint.config(
  { ignores: ["node_modules/", "policies/node_modules/", "**/*.mjs", "**/*.mts", "**/*.cjs"] },
  tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/prefer-nullish-coalescing": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      eqeqeq: "error",
      "no-restricted-syntax": ["error", ...nothingInsideApply],
    },
  },
  {
    files: ["components/**/*.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        ...nothingInsideApply,
        {
          selector: "CallExpression[callee.object.name='JSON'][callee.property.name='stringify']",
          message: "JSON.stringify renders an Output as an error text; use pulumi.jsonStringify.",
        },
      ],
    },
  },
);
