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
    'for i in $(cat list); do tc class add dev eth0 parent 1: classid 1:$i htb rate 1mbit; done',
    3,
    true,
  ],
  [
    'a loop over known words',
    'for i in 1 2; do tc class add dev eth0 parent 1: classid 1:$i htb rate 1mbit; done',
    0,
    true,
  ],
  ['a script that clears up', 'tc qdisc del dev eth0 root', 0, true],
  ['what comes from outside', 'tc class add dev eth0 parent 1: classid 1:11 htb rate $1', 3, true],
])('an import of %s', (name, line, exitCode, hasScenario) => {
  const file = folder.write(`${name.replaceAll(' ', '-')}.sh`, `${HTB}${line}\n`);
  const result = sim('import', 'tc', file, '--quiet');
  expect(result.exitCode).toBe(exitCode);
  expect(result.stdout.includes('shaper: htb')).toBe(hasScenario);
  expect(/: error: /.test(result.stderr)).toBe(exitCode !== 0);
});

test('an import of nothing ends with 3 and no scenario', () => {
  const file = folder.write('nothing.sh', 'tc qdisc del dev eth0 root\n');
  expect(sim('import', 'tc', file)).toMatchObject({ exitCode: 3, stdout: '' });
});

test('an argument of the script is given by its number', () => {
  const file = folder.write(
    'argument.sh',
    'RATE=$1\ntc qdisc add dev eth0 root tbf rate $RATE burst 10k latency 50ms\n',
  );
  const result = sim('import', 'tc', file, '--quiet', '--set', '1=3mbit');
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  expect(result.stdout).toContain('rate: 3mbit');
});
