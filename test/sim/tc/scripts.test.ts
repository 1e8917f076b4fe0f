import { describe, expect, it } from 'vitest';
import { importTc } from '../../../sim/tc/import.ts';
import { complaints, exported, filesIn, imported, lintOf, ran, scenarioOf, textOf } from './support.ts';

const SCRIPTS = filesIn('scenarios/tc');

/** What the import cannot take over of the scripts that show just that, by line. */
const LEFT: Readonly<Record<string, readonly string[]>> = {
  'fw-marks.sh': ['2: firewall rules are not read'],
  'start-stop.sh': ['17: read as if the argument $1 were "start"'],
  'loop-and-function.sh': [
    '20: left out: line 19 takes it from the output of "cat /sys/class/net/eth0/speed"',
    '21: which way the "if" goes depends on what only a run knows; left out: the tc command (line 22)',
  ],
};

/** Rules that the lint must find, with the lines of the script. */
const FOUND: Readonly<Record<string, readonly string[]>> = {
  'adsl-three-classes.sh': ['8 atm-without-linklayer'],
  'bytes-or-bits.sh': ['3 bytes-for-bits', '4 bytes-for-bits', '5 bytes-for-bits', '6 bytes-for-bits'],
  'limited-twice.sh': ['6 double-limit', '4 same-limit-twice'],
  'overhead-atm.sh': ['4 queue-of-seconds'],
  'police-download.sh': ['4 police-burst-below-rtt'],
  'promised-too-much.sh': [
    '2 no-default-class',
    '3 root-ceil-above-rate',
    '3 children-above-parent',
    '4 child-above-parent',
    '5 child-above-parent',
    '5 prio-above-7',
    '6 ceil-below-rate',
    '6 quantum-out-of-range',
    '6 quantum-below-packet',
    '6 burst-below-packet',
  ],
};

/** Nothing else must be found in these. */
const FAULTLESS = new Set(['overhead-atm.sh', 'police-download.sh']);

describe.each(SCRIPTS)('%s', (name) => {
  const script = textOf(`scenarios/tc/${name}`);
  it('is imported, says what is left out, and runs', () => {
    const { loaded, messages } = imported(script);
    expect(complaints(messages)).toEqual(LEFT[name] ?? []);
    const { flows } = ran(loaded);
    expect(Object.keys(flows).length).toBeGreaterThan(0);
    for (const flow of Object.values(flows)) expect(flow.receivedPackets).toBeGreaterThan(0);
  });
  it('comes back the same from its export', () => {
    const { loaded } = imported(script);
    const { script: commands, left } = exported(loaded);
    expect(left).toEqual([]);
    const back = importTc(commands, 'exported.sh');
    expect(complaints(back.messages)).toEqual([]);
    expect(scenarioOf(back.yaml!).first).toEqual(loaded.first);
  });
});

describe('the lint names the line of the script', () => {
  it.each(Object.entries(FOUND))('%s', (name, expected) => {
    const found = lintOf(textOf(`scenarios/tc/${name}`)).map(({ rule, line }) => `${line} ${rule}`);
    expect(found).toEqual(expect.arrayContaining([...expected]));
    if (FAULTLESS.has(name)) expect(found).toEqual(expected);
  });
});
