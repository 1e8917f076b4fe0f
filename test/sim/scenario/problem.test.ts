import { expect, test } from 'vitest';
import { nearestName } from '../../../sim/scenario/nearest.ts';
import { formatPath, formatProblem } from '../../../sim/scenario/problem.ts';

test('a problem is told with its place, the line, a caret, the point and a hint', () => {
  const problem = {
    path: ['hops', 'wan', 'link', 'rate'],
    expected: 'a rate such as 100mbit',
    received: '"10xbit"',
    hint: 'did you mean 10mbit?',
    place: { line: 7, column: 11, sourceLine: '    rate: 10xbit' },
    variables: { rate: '10xbit', size: '64b' },
  };
  expect(formatProblem(problem, 'a.yaml')).toBe(
    [
      'a.yaml:7:11: hops.wan.link.rate: expected a rate such as 100mbit but received "10xbit"',
      '  7 |     rate: 10xbit',
      '    |           ^',
      '  at the point rate=10xbit size=64b',
      '  hint: did you mean 10mbit?',
    ].join('\n'),
  );
});

test('the caret stands below its character, behind tabs and far out in a long line', () => {
  const carets = [
    { line: 1, column: 3, sourceLine: '\t\tx' },
    { line: 1, column: 300, sourceLine: `${' '.repeat(299)}x${' '.repeat(299)}` },
  ].map((place) => {
    const [, source = '', caret = ''] = formatProblem({ path: [], expected: 'y', received: 'x', place }, 'f').split(
      '\n',
    );
    return [source.indexOf('x'), caret.indexOf('^'), source.length < 120];
  });
  expect(carets).toEqual([
    [8, 8, true],
    [55, 55, true],
  ]);
});

test('a path quotes names that hold points or blanks', () => {
  expect(formatPath(['flows', 'a.b', 'x y', '1:10', ''])).toBe('flows."a.b"."x y".1:10.""');
});

test.each([
  ['busrt', 'burst'],
  ['kernal', 'kernel'],
  ['CEIL', 'ceil'],
  ['hbt', 'htb'],
  ['q', undefined],
  ['completely-else', undefined],
  ['xyz', undefined],
])('what is meant by %s is %s', (word, nearest) => {
  expect(nearestName(word, ['burst', 'kernel', 'ceil', 'htb', 'cbr', 'a'])).toBe(nearest);
});
