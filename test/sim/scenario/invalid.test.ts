import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { modelsOf } from '../../../models/registry.ts';
import { loadScenario } from '../../../sim/scenario/load-scenario.ts';
import { formatProblem } from '../../../sim/scenario/problem.ts';
import { problemsOf } from './builder.ts';

const folder = new URL('../../../scenarios/invalid/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
const readText = (path: string): string => readFileSync(new URL(path, folder), 'utf8');

test.each(files)('%s gets the messages that stand beside it', (file) => {
  const problems = problemsOf(() => loadScenario(readText(file), file, { registry: { modelsOf }, readText }));
  const messages = problems.map((problem) => `${formatProblem(problem, file)}\n`).join('');
  expect(messages).toBe(readText(file.replace('.yaml', '.expected.txt')));
  expect(problems.length).toBeGreaterThan(0);
});
