import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../../sim/scenario/problem.ts';
import { visible, visibleLines } from '../../../sim/scenario/visible-text.ts';

describe('a text from outside', () => {
  test('shows escapes, line ends, direction marks and halves of pairs in place of obeying them', () => {
    expect(visible('a\u001b[31mb\nc\u202ed\u0085e\ud83df\u{1f600}')).toBe(
      'a⟨U+001B⟩[31mb⟨U+000A⟩c⟨U+202E⟩d⟨U+0085⟩e⟨U+D83D⟩f\u{1f600}',
    );
  });

  test('in laid out lines keeps line ends, tabs and the styles of this program only', () => {
    expect(visibleLines('\u001b[31m✗\u001b[39m\ta\nb\u001b[2J\u001b]0;title\u0007\r')).toBe(
      '\u001b[31m✗\u001b[39m\ta\nb⟨U+001B⟩[2J⟨U+001B⟩]0;title⟨U+0007⟩⟨U+000D⟩',
    );
  });

  test('in a message about a scenario cannot begin a line of its own, and the caret stays below its sign', () => {
    const text = formatProblem(
      {
        path: ['hops', 'a\u001b[31m\nb'],
        expected: 'a known key',
        received: 'x\u0007',
        hint: 'known there: y\u202e\nz',
        place: { line: 1, column: 3, sourceLine: '\u202ea: 1' },
      },
      'f.yaml',
    );
    expect(text.split('\n')).toEqual([
      'f.yaml:1:3: hops."a⟨U+001B⟩[31m⟨U+000A⟩b": expected a known key but received x⟨U+0007⟩',
      '  1 | ⟨U+202E⟩a: 1',
      `    | ${' '.repeat('⟨U+202E⟩a'.length)}^`,
      '  hint: known there: y⟨U+202E⟩⟨U+000A⟩z',
    ]);
  });
});
