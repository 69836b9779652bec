import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/e2e/**", "node_modules/**"],
    // Generous: a slow machine is no reason to fail, only a hang is.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // All cores: by default one is left idle, which on two is half of them.
    maxWorkers: "100%",
    // Programs run in half the time and register the same; that they do is a test of its own.
    execArgv: ["--require", fileURLToPath(new URL("tools/preview/lean-sdk.cjs", import.meta.url))],
  },
});
