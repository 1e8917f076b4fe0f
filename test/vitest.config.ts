import { defineConfig } from 'vitest/config';

const shared = { root: new URL('..', import.meta.url).pathname, testTimeout: 240_000, hookTimeout: 240_000 };

export default defineConfig({
  test: {
    ...shared,
    maxWorkers: 2,
    projects: [
      { test: { ...shared, name: 'parts', include: ['test/**/*.test.ts'], exclude: ['test/e2e/**'] } },
      // Only these need the build.
      { test: { ...shared, name: 'e2e', include: ['test/e2e/**/*.test.ts'], globalSetup: ['test/e2e/build.ts'] } },
    ],
  },
});
