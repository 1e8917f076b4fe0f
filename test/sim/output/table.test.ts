import { describe, expect, test } from 'vitest';
import { type Column, fitColumns, renderTable } from '../../../sim/output/table.ts';

const plain = (text: string) => text;
const column = (header: string, cells: string[], more: Partial<Column> = {}): Column => ({
  header,
  cells,
  align: 'right',
  dropRank: 0,
  ...more,
});

describe('a table', () => {
  test('aligns its columns and ends no line in blanks', () => {
    const lines = renderTable([column('rate', ['5', '10']), column('name', ['a', 'bb'], { align: 'left' })], plain);
    expect(lines).toEqual(['rate  name', '   5  a', '  10  bb']);
  });

  test('writes the name of a group above its columns, as wide as it needs', () => {
    const group = 'a long name';
    const lines = renderTable(
      [column('x', ['1'], { group }), column('y', ['2'], { group }), column('z', ['3'])],
      plain,
    );
    expect(lines).toEqual(['a long name', 'x         y  z', '1         2  3']);
  });

  test('measures cells without their colours', () => {
    const lines = renderTable([column('a', ['\u001b[32m✓\u001b[39m', 'long'])], plain);
    expect(lines).toEqual(['   a', '   \u001b[32m✓\u001b[39m', 'long']);
  });

  test('may have more rows than a call may have arguments', () => {
    const cells = Array.from({ length: 200_000 }, (_, index) => String(index));
    expect(renderTable([column('row', cells)], plain)).toHaveLength(200_001);
  });

  test('gives up the columns of the highest rank first, all of a rank at once', () => {
    const columns = [
      column('keep', ['1']),
      column('first', ['1'], { dropRank: 2 }),
      column('then', ['1'], { dropRank: 1 }),
      column('also', ['1'], { dropRank: 2 }),
    ];
    const headers = (width: number) => fitColumns(columns, width)?.map(({ header }) => header);
    // 4 + 2 + 5 + 2 + 4 + 2 + 4 = 23 columns in all
    expect(headers(23)).toHaveLength(4);
    expect(headers(22)).toEqual(['keep', 'then']);
    expect(headers(9)).toEqual(['keep']);
    expect(headers(3)).toBeUndefined();
  });
});
