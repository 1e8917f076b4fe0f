import { spawnSync } from 'node:child_process';

/** Whether tshark is here; where the gate runs it must be. */
export const hasTshark = spawnSync('tshark', ['--version']).status === 0 || process.env.CI !== undefined;

/** Fields of every packet of a capture as tshark dissects it, checksums verified; a row a packet. */
export function tsharkFields(path: string, ...fields: readonly string[]): string[][] {
  const preferences = [
    '-o',
    'ip.check_checksum:TRUE',
    '-o',
    'tcp.check_checksum:TRUE',
    '-o',
    'udp.check_checksum:TRUE',
  ];
  const wanted = fields.flatMap((field) => ['-e', field]);
  const { status, stdout, stderr, error } = spawnSync(
    'tshark',
    ['-n', '-r', path, ...preferences, '-T', 'fields', '-E', 'separator=;', ...wanted],
    { encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`tshark ended with ${status}: ${stderr}`);
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(';'));
}
