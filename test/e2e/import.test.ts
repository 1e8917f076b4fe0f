import { afterAll, expect, test } from 'vitest';
import { Folder, sim } from './sim.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const HTB =
  'tc qdisc add dev eth0 root handle 1: htb default 10\ntc class add dev eth0 parent 1: classid 1:10 htb rate 5mbit\n';

test.each([
  ['a script that is understood', '', 0, true],
  ['a warning', 'tc filter add dev eth0 parent 1: protocol ip u32 match ip dport 22 0xffff flowid 1:77', 0, true],
  ['a command that the kernel refuses', 'tc class add dev eth0 parent 1: classid 1:10 htb rate 5mbit', 3, true],
  [
    'a part that is not interpreted',
    'for i in 1 2; do tc class add dev eth0 parent 1: classid 1:$i htb rate 1mbit; done',
    3,
    true,
  ],
  ['nothing that is left', 'tc qdisc del dev eth0 root', 3, false],
])('an import of %s', (name, line, exitCode, hasScenario) => {
  const file = folder.write(`${name.replaceAll(' ', '-')}.sh`, `${HTB}${line}\n`);
  const result = sim('import', 'tc', file, '--quiet');
  expect(result.exitCode).toBe(exitCode);
  expect(result.stdout.includes('shaper: htb')).toBe(hasScenario);
  expect(/: error: /.test(result.stderr)).toBe(exitCode !== 0);
});
