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

test('what is imported goes out to its devices, or to others that the command line names', () => {
  const script = folder.write(
    'down.sh',
    `${HTB}tc qdisc add dev eth0 ingress
tc filter add dev eth0 parent ffff: protocol ip prio 1 u32 match u32 0 0 action mirred egress redirect dev ifb0
tc qdisc add dev ifb0 root tbf rate 3mbit burst 10k latency 50ms
`,
  );
  const scenario = folder.write('down.yaml', sim('import', 'tc', script, '--quiet').stdout);
  const plain = sim('export', 'tc', scenario);
  expect(plain).toMatchObject({ exitCode: 0, stderr: '' });
  expect(plain.stdout).toContain('tc qdisc add dev ifb0 root tbf ');
  expect(plain.stdout).toContain('tc filter add dev eth0 parent ffff: protocol ip prio 1 ');
  const mapped = sim('export', 'tc', scenario, '--dev', 'wan,ifb0=ifb5');
  expect(mapped.stdout).toContain('u32 match u32 0 0 action mirred egress redirect dev ifb5\n');
  expect(mapped.stdout).not.toMatch(/ dev (?:eth0|ifb0) /);
});

test('an export without all devices, or of parts that tc has no words for, says so and does not end with 0', () => {
  const hop = '{ shaper: tbf, rate: 1mbit, burst: 10kb, limit: 30kb }';
  const flows = 'flows:\n  f: { source: cbr, rate: 1mbit, size: 100b, via: [a, b] }\n';
  const two = folder.write('two.yaml', `duration: 1s\nhops:\n  a: ${hop}\n  b: ${hop}\n${flows}`);
  const refused = sim('export', 'tc', two, '--dev', 'eth0');
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toContain('hop b: nobody says on which device it is set up');
  expect(refused.stderr).toContain('--dev b=eth1');
  expect(sim('export', 'tc', two, '--dev', 'eth0', '--dev', 'b=eth1').exitCode).toBe(0);
  expect(sim('export', 'tc', two, '--dev', 'eth0,eth1').exitCode).toBe(2);
  expect(sim('export', 'tc', two, '--dev', 'a=eth0,b=eth0')).toMatchObject({ exitCode: 3, stdout: '' });
  const other = '{ shaper: token_bucket, rate: 1mbit, burst: 10kb }';
  const half = folder.write('half.yaml', `duration: 1s\nhops:\n  a: ${hop}\n  b: ${other}\n${flows}`);
  const partial = sim('export', 'tc', half);
  expect(partial.exitCode).toBe(3);
  expect(partial.stdout).toContain('tc qdisc add dev eth0 root tbf ');
  expect(partial.stderr).toContain('warning: not exported: hop b: token_bucket, which tc does not know');
});
