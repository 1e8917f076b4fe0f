import { describe, expect, test } from 'vitest';
import { styleOf, terminalOf, widthOf } from '../../../sim/output/terminal.ts';

const colour = (isTTY: boolean, environment: Record<string, string>) => terminalOf({ isTTY }, environment).colour;

describe('a terminal', () => {
  test('has colour, a pipe has none', () => {
    expect([colour(true, {}), colour(false, {})]).toEqual([true, false]);
  });

  test('has none where NO_COLOR is set to anything, or TERM is dumb', () => {
    expect([colour(true, { NO_COLOR: '1' }), colour(true, { TERM: 'dumb' })]).toEqual([false, false]);
    expect(colour(true, { NO_COLOR: '' })).toBe(true);
  });

  test('obeys FORCE_COLOR before all else', () => {
    expect(colour(false, { FORCE_COLOR: '1', NO_COLOR: '1', TERM: 'dumb' })).toBe(true);
    expect(colour(true, { FORCE_COLOR: '0' })).toBe(false);
  });

  test('is as wide as it says, or COLUMNS, or 120', () => {
    const columns = (own: number | undefined, environment = {}) => terminalOf({ columns: own }, environment).columns;
    expect([columns(80), columns(undefined, { COLUMNS: '90' }), columns(undefined), columns(10)]).toEqual([
      80, 90, 120, 40,
    ]);
  });

  test('shows styles as ANSI sequences, which take no room', () => {
    const bold = styleOf({ colour: true, columns: 80 }).bold('abc');
    expect([bold, widthOf(bold)]).toEqual(['\u001b[1mabc\u001b[22m', 3]);
    expect(styleOf({ colour: false, columns: 80 }).bold('abc')).toBe('abc');
  });
});
