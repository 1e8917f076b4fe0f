import { describe, expect, test } from 'vitest';
import type { LoadOptions } from '../../../sim/scenario/load-scenario.ts';
import type { Overrides } from '../../../sim/scenario/overrides.ts';
import { brief, load, problemsOf } from './builder.ts';

const HOP = 'link: { rate: "${rate}", delay: "${delay}" }';

/** Loads a scenario whose link has the variables `rate` and `delay`. */
function sweep(top: string, options: Partial<LoadOptions> = {}) {
  return load({ top: `vars: { rate: 1mbit, delay: 5ms }\n${top}`, hop: HOP }, options);
}

describe('variables', () => {
  test('that double each other are told of where one becomes too long', () => {
    // 2^14 is the first power of two above 10,000: 14 doublings of one character, of which the last is v14.
    const doubled = Array.from({ length: 40 }, (_, i) => `v${i + 1}: "\${v${i}}\${v${i}}"`).join(', ');
    const problems = problemsOf(() => load({ top: `vars: { v0: "1", ${doubled} }\nabout: "\${v40}"` }));
    expect(problems.map(({ path, expected, received }) => [path.join('.'), expected, received])).toEqual([
      ['vars.v14', 'at most 10000 characters in place of variables', 'more'],
    ]);
    expect(problems[0]!.place).toBeDefined();
  });

  const linkOf = (vars: string, hop: string) => load({ top: `vars: ${vars}`, hop }).first.hops[0]!.link;

  test('stand for values anywhere, also inside of text and of each other', () => {
    const link = linkOf(
      '{ n: 5, rate: "${n}mbit", loss: 0.5 }',
      'link: { rate: "${rate}", delay: "1${n}ms", loss: "${loss}" }',
    );
    expect(link).toMatchObject({ rateBitsPerSecond: 5e6, delayNs: 15e6, loss: 0.5 });
  });

  test('are not looked for behind a second dollar sign', () => {
    expect(load({ top: 'title: costs $${x}' }).first.title).toBe('costs ${x}');
  });

  test('must be declared', () => {
    expect(problemsOf(() => linkOf('{ rate: 1mbit }', 'link: { rate: "${rat}" }'))).toMatchObject([
      { path: ['hops', 'wan', 'link', 'rate'], received: '${rat}', hint: 'did you mean ${rate}?' },
    ]);
  });

  test('must not go in circles', () => {
    expect(brief(() => linkOf('{ a: "${b}", b: "${c}", c: "${a}" }', 'link: { rate: "${a}" }'))).toEqual([
      'vars.a: expected a variable that does not refer to itself but received ${a} → ${b} → ${c} → ${a}',
    ]);
  });

  test.each(['${}', '${1x}', '${a', '${__proto__}'])(
    '%s is complained of once, and not as what it would stand for',
    (text) => {
      expect(brief(() => linkOf('{ a: 1 }', `link: { rate: '${text}' }`))).toEqual([
        `hops.wan.link.rate: expected a variable as in \${name} but received "${text}"`,
      ]);
    },
  );

  test.each([
    ['{ a: [1] }', 'vars.a: expected one value (text, number, true or false) but received a list'],
    ['{ "a b": 1 }', 'vars."a b": expected a name of letters, digits, - and _ but received "a b"'],
    ['5', 'vars: expected a mapping of variables but received 5'],
    ['{ a: "${" }', 'vars.a: expected a variable as in ${name} but received "${"'],
    ['{ a: "${b c}" }', 'vars.a: expected a variable as in ${name} but received "${b c}"'],
  ])('%s is refused', (vars, complaint) => {
    expect(brief(() => linkOf(vars, 'link: {}'))).toEqual([complaint]);
  });
});

describe('a sweep', () => {
  test('is a grid in which the first name changes the slowest', () => {
    const loaded = sweep('sweep: { delay: "1ms,2ms", rate: [10mbit, 20mbit] }');
    expect(loaded.pointCount).toBe(4);
    expect([...loaded.points()].map(({ variables }) => variables)).toEqual([
      { delay: '1ms', rate: '10mbit' },
      { delay: '1ms', rate: '20mbit' },
      { delay: '2ms', rate: '10mbit' },
      { delay: '2ms', rate: '20mbit' },
    ]);
    const { link } = loaded.pointAt(2).scenario.hops[0]!;
    expect(link).toMatchObject({ delayNs: 2e6, rateBitsPerSecond: 1e7 });
  });

  test('may have names that go in step', () => {
    const loaded = sweep('sweep: { zip: { delay: [1ms, 2ms], rate: 10mbit..20mbit/10mbit } }');
    expect([...loaded.points()].map(({ variables }) => variables)).toEqual([
      { delay: '1ms', rate: '10mbit' },
      { delay: '2ms', rate: '20mbit' },
    ]);
  });

  test('without names is one point without variables', () => {
    const loaded = load({});
    expect([loaded.pointCount, loaded.pointAt(0).variables]).toEqual([1, {}]);
  });

  test('may use variables that it does not change', () => {
    const loaded = load({
      top: 'vars: { low: 1mbit, rate: 1mbit }\nsweep: { rate: ["${low}", 2mbit] }',
      hop: 'link: { rate: "${rate}" }',
    });
    expect([...loaded.points()].map(({ variables }) => variables.rate)).toEqual(['1mbit', '2mbit']);
  });

  test('changes what refers to its variables', () => {
    const loaded = load({
      top: 'vars: { n: 1, rate: "${n}mbit" }\nsweep: { n: [3, 4] }',
      hop: 'link: { rate: "${rate}" }',
    });
    expect([...loaded.points()].map(({ scenario }) => scenario.hops[0]!.link.rateBitsPerSecond)).toEqual([3e6, 4e6]);
  });

  test('gives a point the same whether it is asked for first, last or twice', () => {
    const top = 'sweep: { delay: 1ms..3ms/1ms, rate: 1mbit..4mbit/1mbit }';
    const inOrder = [...sweep(top).points()];
    const loaded = sweep(top);
    const order = [7, 0, 11, 7, 3, 3, 0];
    expect(order.map((i) => loaded.pointAt(i))).toEqual(order.map((i) => inOrder[i]));
  });

  test('shares between points what no variable changes', () => {
    const loaded = load({
      top: 'vars: { rate: 1mbit }\nsweep: { rate: [1mbit, 2mbit] }',
      hop: 'shaper: bucket, rate: "${rate}", classes: { "1:1": { rate: 1mbit } }',
    });
    const [first, second] = [0, 1].map((i) => loaded.pointAt(i).scenario.hops[0]!.shaper!.values);
    expect(second!.classes).toBe(first!.classes);
    expect(second!.rate).not.toBe(first!.rate);
  });

  test('gives a point that it does not hold on demand', () => {
    const loaded = sweep('sweep: { rate: [10mbit, 20mbit] }');
    const { variables, scenario } = loaded.pointOf({ rate: '7mbit', delay: '9ms' });
    expect(variables).toEqual({ rate: '7mbit', delay: '9ms' });
    expect(scenario.hops[0]!.link).toMatchObject({ rateBitsPerSecond: 7e6, delayNs: 9e6 });
    expect(brief(() => loaded.pointOf({ rote: '1' }))).toEqual([
      ': expected a variable that the scenario has but received rote',
    ]);
  });

  test('of a billion points is refused, but can be walked where that is allowed', () => {
    const top = 'sweep: { rate: 1..1000000/1, delay: 0ns..999ns/1ns }';
    expect(brief(() => sweep(top))).toEqual(['sweep: expected at most 1000000 points but received 1000000000']);
    const loaded = sweep(top, { maximumPoints: 1e9 });
    expect(loaded.pointAt(999_999_999).variables).toEqual({ rate: '1000000', delay: '999ns' });
    expect(() => loaded.pointAt(1e9)).toThrow(RangeError);
  });

  test.each([
    ['{ rate: [] }', 'sweep.rate: expected a list of values, a,b,c or from..to/step but received an empty list'],
    ['{ rate: [[1]] }', 'sweep.rate.0: expected a list of values, a,b,c or from..to/step but received a list'],
    ['{ rate: 5..1/1 }', 'sweep.rate: expected a range that rises but received "5..1/1"'],
    ['{ rats: [1] }', 'sweep.rats: expected a variable that the scenario has but received rats'],
    [
      '{ zip: { rate: [1, 2], delay: [1ms] } }',
      'sweep.zip: expected as many values for each name of zip but received 2 for rate, 1 for delay',
    ],
    ['{ zip: [1] }', 'sweep.zip: expected a mapping of variables to their values but received a list'],
    [
      '{ rate: [1], zip: { rate: [2] } }',
      'sweep.zip.rate: expected each variable once but received rate in sweep and in zip',
    ],
    ['[1]', 'sweep: expected a mapping of variables to their values but received a list'],
    [
      '{ rate: ["${delay}"], delay: [1ms] }',
      'sweep.rate.0: expected values that do not change within the sweep but received ${delay}',
    ],
  ])('%s is refused', (node, complaint) => {
    expect(brief(() => sweep(`sweep: ${node}`))).toContain(complaint);
  });

  test('with a bad value in one point names that point', () => {
    const problems = problemsOf(() => sweep('sweep: { rate: [1mbit, 2potatoes, 3mbit] }'));
    expect(problems).toMatchObject([
      {
        path: ['hops', 'wan', 'link', 'rate'],
        received: '"2potatoes", written "${rate}"',
        variables: { rate: '2potatoes' },
      },
    ]);
  });

  test('with a bad value beyond those looked at on loading fails when that point is asked for', () => {
    const values = Array.from({ length: 2000 }, (_, i) => (i === 777 ? 'x' : `${i + 1}mbit`));
    const loaded = sweep(`sweep: { rate: [${values}] }`);
    expect(loaded.pointAt(776).variables.rate).toBe('777mbit');
    expect(problemsOf(() => loaded.pointAt(777))).toMatchObject([{ variables: { rate: 'x' } }]);
    expect(loaded.pointAt(778).scenario.hops[0]!.link.rateBitsPerSecond).toBe(779e6);
  });
});

describe('overrides', () => {
  test('set variables, seed and duration, and stand in the document', () => {
    const loaded = sweep('', { overrides: { set: { rate: '9mbit' }, seed: 42, duration: '3s' } });
    expect(loaded.first).toMatchObject({ seed: 42, durationNs: 3e9 });
    expect(loaded.first.hops[0]!.link.rateBitsPerSecond).toBe(9e6);
    expect(loaded.document).toMatchObject({ seed: 42, duration: '3s', vars: { rate: '9mbit', delay: '5ms' } });
  });

  test('that set a variable take it out of the sweep', () => {
    const loaded = sweep('sweep: { rate: [1mbit, 2mbit], zip: { delay: [1ms, 2ms] } }', {
      overrides: { set: { delay: '7ms', rate: '9mbit' } },
    });
    expect([loaded.pointCount, loaded.document]).toMatchObject([1, { vars: { delay: '7ms', rate: '9mbit' } }]);
    expect(loaded.document).not.toHaveProperty('sweep');
  });

  test('of a variable that goes in step with others take those along', () => {
    const loaded = sweep('sweep: { zip: { rate: [1mbit, 2mbit], delay: [1ms, 2ms] } }', {
      overrides: { set: { rate: '2mbit' } },
    });
    expect([loaded.pointCount, loaded.document]).toMatchObject([1, { vars: { rate: '2mbit', delay: '2ms' } }]);
  });

  test('of a variable that goes in step, to a value that is not listed, leave the others to the sweep', () => {
    const loaded = sweep('sweep: { zip: { rate: [1mbit, 2mbit], delay: [1ms, 2ms] } }', {
      overrides: { set: { rate: '3mbit' } },
    });
    expect([...loaded.points()].map(({ variables }) => variables)).toEqual([{ delay: '1ms' }, { delay: '2ms' }]);
  });

  test('sweep further variables, or the same with other values', () => {
    const loaded = sweep('sweep: { rate: [1mbit, 2mbit] }', {
      overrides: { vary: { delay: '1ms..2ms/1ms', rate: '5mbit' } },
    });
    expect([...loaded.points()].map(({ variables }) => variables)).toEqual([
      { delay: '1ms', rate: '5mbit' },
      { delay: '2ms', rate: '5mbit' },
    ]);
  });

  test('of variables that the scenario does not have are refused', () => {
    expect(brief(() => sweep('', { overrides: { set: { rte: '1' }, vary: { dely: '1ms' } } }))).toEqual([
      'vars.rte: expected a variable that the scenario has but received rte',
      'sweep.dely: expected a variable that the scenario has but received dely',
    ]);
  });

  test('are checked like what the file says, and said to come from elsewhere', () => {
    const problems = problemsOf(() => sweep('', { overrides: { seed: 'x', duration: 'long' } }));
    expect(problems.map(({ path, received, place }) => [path[0], received, place])).toEqual([
      ['duration', '"long"', undefined],
      ['seed', '"x"', undefined],
    ]);
    expect(problems[1]!.option).toBe('--seed');
  });

  test('are wrong where a value that they alone give is, wherever it is used', () => {
    const used = (overrides: Overrides, top = '') =>
      problemsOf(() => sweep(top, { overrides })).map(({ path, option, place }) => [path.at(-1), option, place?.line]);
    expect(used({ set: { rate: 'x' } })).toEqual([['rate', '--set rate', undefined]]);
    expect(used({ vary: { rate: '1mbit,x' } })).toEqual([['rate', '--vary rate', undefined]]);
    expect(used({ zip: { rate: '1mbit,2mbit', delay: '1ms' } })).toEqual([
      ['zip', '--zip rate, --zip delay', undefined],
    ]);
    expect(used({ vary: { rate: '1bit..1gbit/1bit' } })).toEqual([['sweep', '--vary rate', undefined]]);
    expect(used({ set: { delay: '1ms' } }, 'sweep: { rate: [x] }').map(([, option]) => option)).toEqual([undefined]);
  });
});
