import { describe, expect, test } from 'vitest';
import * as registry from '../../../models/registry.ts';
import { partPage } from '../../../sim/output/model-pages.ts';
import { SCENARIO_SECTIONS } from '../../../sim/scenario/common-parameters.ts';
import { SCENARIO_PARTS } from '../../../sim/scenario/scenario-parts.ts';
import { buildSchema } from '../../../sim/scenario/schema.ts';

const TERMINAL = { colour: false, columns: 100 };
const keysOf = (name: string): string[] => {
  const { parameters = {}, keys = {} } = SCENARIO_PARTS.find((part) => part.name === name)!;
  return [...Object.keys(parameters), ...Object.keys(keys)].sort();
};
interface Schema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly $defs: Readonly<Record<string, { readonly properties: Readonly<Record<string, unknown>> }>>;
}

describe('the parts of a scenario', () => {
  const schema = buildSchema(registry) as unknown as Schema;
  const defined = (name: string): string[] => Object.keys(schema.$defs[name]!.properties).sort();

  test('are all that the file has at its top', () => {
    const known = SCENARIO_PARTS.map(({ name, key }) => key ?? name);
    expect(known).toEqual(expect.arrayContaining(Object.keys(SCENARIO_SECTIONS)));
    expect(keysOf('scenario')).toEqual(Object.keys(schema.properties).sort());
  });

  test('have the keys that the JSON Schema allows', () => {
    expect(keysOf('link')).toEqual(defined('record-link'));
    expect(keysOf('timer')).toEqual(defined('record-timer'));
    expect(keysOf('filter')).toEqual(defined('record-filters'));
    expect(keysOf('device')).toEqual(defined('record-device'));
    expect(keysOf('reference')).toEqual(defined('reference'));
    // A hop of pfifo has the keys of all hops and a limit of its own at least; a flow of cbr a size.
    expect(defined('shaper-pfifo')).toEqual(expect.arrayContaining([...keysOf('hop'), 'limit']));
    expect(defined('source-cbr')).toEqual(expect.arrayContaining([...keysOf('flow'), 'size']));
    const sweep = schema.properties.sweep as Schema;
    expect(keysOf('sweep')).toEqual(Object.keys(sweep.properties).sort());
  });

  test('are shown with types, defaults and help, within the terminal', () => {
    const link = partPage(SCENARIO_PARTS.find(({ name }) => name === 'link')!, TERMINAL);
    expect(link).toMatch(
      /^link \(link:\): The line behind the hop\.\n\nkeys\n {2}rate {2}a rate such as 100mbit; default 0\n/,
    );
    for (const part of SCENARIO_PARTS) {
      const lines = partPage(part, TERMINAL).split('\n');
      expect(lines.filter((line) => line.length > TERMINAL.columns)).toEqual([]);
      expect(lines.join('\n')).not.toContain('default \n');
    }
  });

  test('name the figures that a result has', () => {
    const { figures = {} } = SCENARIO_PARTS.find(({ name }) => name === 'expect')!;
    expect(figures['flows.NAME.bitsPerSecond.frame']).toBe('a rate (100mbit, or a bare number in bit/s)');
    expect(figures['hops.NAME.link.busyFraction']).toBe('a bare number');
    expect(figures['hops.NAME.classes.NAME.mode']).toBe('a word');
    expect(figures.events).toBe('a bare number');
  });
});
