import { describe, expect, it } from 'vitest';
import { lint } from '../../../sim/tc/lint/lint.ts';
import { groupFindings } from '../../../sim/tc/report.ts';
import { scenarioOf } from './support.ts';

function groupsOf(classes: readonly string[]) {
  const loaded = scenarioOf(`duration: 1s
hops:
  h:
    shaper: htb
    classes:
      "1:1": { rate: 100mbit, burst: 100kb, cburst: 100kb }
      ${classes.join('\n      ')}
flows:
  f: { source: cbr, rate: 1mbit, via: [h], class: "1:10" }
`);
  return groupFindings(lint(loaded.first, loaded.document));
}
const small = (id: string, rate: string): string =>
  `"${id}": { parent: "1:1", rate: ${rate}, burst: 100kb, cburst: 100kb, limit: 10 }`;

describe('findings that say the same', () => {
  it('are one with the names of all that it is said of', () => {
    // 1 kB/s / 10 = 100 bytes each, raised to 1000; 12.5 seconds of burst.
    const groups = groupsOf([small('1:10', '8kbit'), small('1:11', '8kbit'), small('1:12', '8kbit')]);
    const raised = groups.find(({ first }) => first.rule === 'quantum-out-of-range')!;
    expect(raised.first.text).toContain('for class 1:10,');
    expect(raised.alike.map(({ name }) => name)).toEqual(['1:11', '1:12']);
    expect(raised.alike.map(({ finding }) => finding.path.at(-1))).toEqual(['1:11', '1:12']);
  });

  it('are not put together where figures differ, or where they are only two', () => {
    const rules = (classes: readonly string[]) =>
      groupsOf(classes)
        .filter(({ first }) => first.rule === 'quantum-out-of-range')
        .map(({ alike }) => alike.length);
    expect(rules([small('1:10', '8kbit'), small('1:11', '16kbit'), small('1:12', '24kbit')])).toEqual([0, 0, 0]);
    expect(rules([small('1:10', '8kbit'), small('1:11', '8kbit')])).toEqual([0, 0]);
  });
});
