import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/e2e/build.ts'],
    testTimeout: 60_000,
    maxWorkers: 2,
  },
});
