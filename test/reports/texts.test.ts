import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { csvOf, rowsOf } from '../../reports/client/columns.ts';
import { numberOf } from '../../reports/client/tables.ts';
import { resolveDocument, yamlText } from '../../reports/document.ts';
import { columnsOf } from '../../reports/figure.ts';
import {
  formatBytes,
  formatDifference,
  formatNumber,
  formatQuantity,
  formatSigned,
  listWords,
} from '../../reports/format.ts';
import { cleanText, clipText, embeddedJson, html, shown } from '../../reports/html.ts';
import { quantityOf, rateOfText, sizeOfText, timeOfText } from '../../reports/quantity.ts';
import { orderedValues } from '../../reports/variables.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';

const NB = '\u00a0';

describe('numbers in words', () => {
  it('keep five significant digits and all whole ones', () => {
    expect(formatNumber(656.25)).toBe('656.25');
    expect(formatNumber(97656.25)).toBe('97,656');
    expect(formatNumber(1234567)).toBe('1,234,567');
    expect(formatNumber(0.00123456)).toBe('0.0012346');
    expect(formatNumber(0)).toBe('0');
    expect(formatNumber(-0.001, 2)).toBe('−0.001');
    expect(formatNumber(Number.NaN)).toBe('–');
  });

  it('carry the unit that suits them', () => {
    expect(formatQuantity(656.25e6, 'rate')).toBe(`656.25${NB}Mbit/s`);
    expect(formatQuantity(1e9, 'rate')).toBe(`1,000${NB}Mbit/s`);
    expect(formatQuantity(25e9, 'rate')).toBe(`25${NB}Gbit/s`);
    expect(formatQuantity(0.0082, 'time')).toBe(`8.2${NB}ms`);
    expect(formatQuantity(0, 'time')).toBe(`0${NB}ns`);
    expect(formatBytes(5 * 2 ** 20)).toBe(`5${NB}MiB`);
    expect(formatBytes(836)).toBe(`836${NB}bytes`);
    expect(formatBytes(5_242_881)).toBe(`5.243${NB}MB`);
  });

  it('say more, less or the same', () => {
    expect(formatDifference(18.24)).toBe(`18.2${NB}% more`);
    expect(formatDifference(-0.42)).toBe(`0.42${NB}% less`);
    expect(formatDifference(0.001)).toBe('the same');
    expect(formatSigned(2.5)).toBe(`+2.5${NB}%`);
    expect(formatSigned(0)).toBe(`0${NB}%`);
  });

  it('join as a sentence does', () => {
    expect(listWords(['a'])).toBe('a');
    expect(listWords(['a', 'b', 'c'])).toBe('a, b and c');
  });

  it('are read back from table cells for sorting', () => {
    expect(numberOf(`8.2${NB}ms`)).toBeCloseTo(0.0082);
    expect(numberOf('1,234,567')).toBe(1_234_567);
    expect(numberOf('−3.5')).toBe(-3.5);
    expect(numberOf('can-send')).toBeUndefined();
  });
});

describe('quantities of a scenario', () => {
  it('are read as tc reads them', () => {
    expect(rateOfText('555mbit')).toBe(555e6);
    expect(rateOfText('1kbps')).toBe(8000);
    expect(rateOfText('1Kibit')).toBe(1024);
    expect(rateOfText('1000')).toBe(1000);
    expect(rateOfText('2.6.25')).toBeUndefined();
    expect(sizeOfText('836b')).toBe(836);
    expect(sizeOfText('1k')).toBe(1024);
    expect(sizeOfText('5MiB')).toBe(5 * 2 ** 20);
    expect(sizeOfText('wan')).toBeUndefined();
  });

  it('are times where they have a unit of time', () => {
    expect(['50us', '10ms', '1.5s', '2min', '10'].map(timeOfText)).toEqual([5e-5, 0.01, 1.5, 120, undefined]);
  });

  it('are one kind of quantity only where all are', () => {
    const measureOf = (name: string, ...texts: string[]) => quantityOf(name, texts)?.measure;
    expect(measureOf('rate', '10m', '1g')).toBe('rate');
    expect(measureOf('burst', '1600', '32k')).toBe('bytes');
    expect(measureOf('quantum', '100ms', '1s')).toBe('time');
    expect(measureOf('loss', '0.1%', '2%')).toBe('percent');
    expect(measureOf('seed', '1', '2')).toBe('count');
    expect(measureOf('leaf', '1', 'pfifo')).toBeUndefined();
  });

  it('are ordered by size where they are quantities, else as the scenario lists them', () => {
    const document = { hops: { a: { kernel: '${kernel}' } }, flows: { f: { version: '${curl}' } } };
    const order = (name: string, ...values: string[]) => orderedValues([document], name, values);
    expect(order('rate', '1gbit', '20mbit', '3mbit')).toEqual(['3mbit', '20mbit', '1gbit']);
    expect(order('size', '20MiB', '1MiB', '512KiB')).toEqual(['512KiB', '1MiB', '20MiB']);
    expect(order('wait', '1s', '10ms', '100ms')).toEqual(['10ms', '100ms', '1s']);
    expect(order('kernel', '3.6', '3.10', '6.2', '3.6')).toEqual(['3.6', '3.10', '6.2']);
    expect(order('curl', '8.6', '8.18')).toEqual(['8.6', '8.18']);
    expect(order('leaf', 'sfq', 'pfifo')).toEqual(['sfq', 'pfifo']);
  });
});

describe('text of others', () => {
  it.each(HOSTILE_TEXTS.map((text, i) => [i, text] as const))('number %i stays text in markup', (_, text) => {
    const { text: markup } = shown(text);
    expect(markup).toMatch(/^<bdi>[^<>"']*<\/bdi>$/);
    expect(markup).not.toMatch(/[\u2028-\u202e\u2066-\u2069]/);
    expect([...markup].every((sign) => sign >= ' ')).toBe(true);
    expect(markup.length).toBeLessThan(1200);
  });

  it.each(HOSTILE_TEXTS.map((text, i) => [i, text] as const))(
    'number %i comes back unchanged from a script element',
    (_, text) => {
      const { text: json } = embeddedJson({ text });
      expect(json).not.toMatch(/[<>&\u2028\u2029]/);
      expect(JSON.parse(json)).toEqual({ text });
    },
  );

  it('shows marks that cannot be seen', () => {
    expect(cleanText('a\u202eb')).toBe('a⟨U+202E⟩b');
    expect(cleanText('a\ud800b')).toBe('a⟨U+D800⟩b');
    expect(cleanText('😀 ok\n\tok')).toBe('😀 ok ok');
  });

  it('is cut between characters, not within', () => {
    expect(clipText('😀😀😀', 2)).toBe('😀…');
    expect(clipText('short', 10)).toBe('short');
  });

  it('is escaped where a template takes it in, and markup is not', () => {
    expect(html`<p title="${'"'}">${'<'}${html`<b>${1}</b>`}</p>`.text).toBe('<p title="&quot;">&lt;<b>1</b></p>');
  });

  it('cannot become a formula of a spreadsheet', () => {
    expect(
      csvOf(
        ['a', 'b'],
        [
          ['=1+1', 2],
          ['x,"y"', null],
        ],
      ),
    ).toBe('a,b\r\n\'=1+1,2\r\n"x,""y""",\r\n');
  });
});

describe('the resolved scenario', () => {
  it('has every variable filled in, and no grid', () => {
    const document = {
      vars: { rate: '1mbit', size: '100b' },
      sweep: { rate: ['2mbit'] },
      flows: { a: { rate: '${rate}', size: ['${size}'] } },
    };
    expect(resolveDocument(document, { rate: '2mbit' })).toEqual({ flows: { a: { rate: '2mbit', size: ['100b'] } } });
  });

  it('is YAML that reads back as the same data', () => {
    const document = {
      title: 'a: b # c',
      on: 'yes',
      list: [1, 'two', { three: 3, four: [] }, ['x', ['y']]],
      empty: {},
      'key: odd': null,
      flags: [true, false],
      texts: HOSTILE_TEXTS.filter((text) => !text.includes('lone surrogate')),
      number: '2.6.25',
    };
    expect(parse(yamlText(document))).toEqual(document);
  });
});

describe('columns of rows', () => {
  it('give the rows back', () => {
    const rows = Array.from({ length: 10 }, (_, i) => ({
      series: i % 2 === 0 ? 'a' : 'b',
      x: i,
      y: i === 3 ? null : i * i,
    }));
    expect(rowsOf(columnsOf(rows))).toEqual(rows);
  });
});
