import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    reporters: process.env["CI"]
      ? ["default", ["json", { outputFile: "build/test-results.json" }]]
      : ["default"],
  },
});
