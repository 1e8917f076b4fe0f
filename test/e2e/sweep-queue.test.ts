import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { freePort, HAS_REDIS, RedisServer } from './redis-server.ts';
import { Folder, ROOT, sim } from './sim.ts';
import { filesOf, journalBytes, journalPoints, mixedScenario, Running, until } from './sweep-bed.ts';

const folder = new Folder();
afterAll(() => folder.remove());

if (!HAS_REDIS) console.warn('redis-server is not installed: the tests of the queue are skipped');
test('redis-server is installed where all tests must run', () => {
  expect(HAS_REDIS || process.env.CI === undefined).toBe(true);
});

describe.runIf(HAS_REDIS)('a queue', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.start('secret');
  });
  afterAll(() => redis?.remove());

  const running: Running[] = [];
  const start = (...words: readonly string[]): Running => {
    const command = new Running(...words);
    running.push(command);
    return command;
  };
  const startWorker = (): Running => start('worker', '--queue', redis.url, '-j', '1');
  afterEach(async () => {
    for (const { process } of running) process.kill('SIGKILL');
    await Promise.all(running.splice(0).map(({ ended }) => ended));
  });

  test('with two workers gives the same bytes for 300 points as the threads of one machine', async () => {
    const file = folder.write('mixed.yaml', mixedScenario('20ms', ['7.88.1', '8.6.0', '8.18.0']));
    const [direct, queued] = [folder.at('direct'), folder.at('queued')];
    sim('sweep', file, '--out', direct);
    const workers = [startWorker(), startWorker()];
    expect(await start('sweep', file, '--out', queued, '--queue', redis.url).ended).toBe(0);
    expect(journalPoints(queued)).toHaveLength(300);
    expect(filesOf(queued)).toEqual(filesOf(direct));
    // Nothing of the sweep stays on the server.
    expect(await redis.ask((client) => client.keys('shaperlab:job:*'))).toEqual([]);
    expect(await redis.ask((client) => client.hlen('shaperlab:sweeps'))).toBe(0);
    for (const { process } of workers) process.kill('SIGINT');
    expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual([130, 130]);
  });

  describe('loses no point and has none twice', () => {
    const file = folder.write('long.yaml', mixedScenario('250ms', ['8.6.0']));
    const direct = folder.at('long');
    beforeAll(() => {
      sim('sweep', file, '--out', direct);
    });

    function check(out: string): void {
      expect(journalPoints(out).sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index));
      expect(filesOf(out)).toEqual(filesOf(direct));
    }

    test('when a worker is killed in the middle of a batch', async () => {
      const out = folder.at('worker-killed');
      const [first] = [startWorker(), startWorker()];
      const sweep = start('sweep', file, '--out', out, '--queue', redis.url);
      await until(() => journalBytes(out) > 8000);
      first.process.kill('SIGKILL');
      expect(await sweep.ended).toBe(0);
      check(out);
    });

    test('when the server is stopped and started, with nothing left in it', async () => {
      const out = folder.at('server-stopped');
      startWorker();
      const sweep = start('sweep', file, '--out', out, '--queue', redis.url);
      await until(() => journalBytes(out) > 8000);
      await redis.stop();
      await sleep(500);
      await redis.start();
      expect(await sweep.ended).toBe(0);
      expect(sweep.said).toContain('lost the connection to redis://127.0.0.1');
      expect(sweep.said).toContain('again');
      check(out);
    });

    test('when the coordinator is killed, and another goes on', async () => {
      const out = folder.at('coordinator-killed');
      startWorker();
      const words = ['sweep', file, '--out', out, '--queue', redis.url, '--resume'];
      const sweep = start(...words);
      await until(() => journalBytes(out) > 8000);
      sweep.process.kill('SIGKILL');
      await sweep.ended;
      expect(await start(...words).ended).toBe(0);
      check(out);
    });

    test('when it is interrupted, and the threads of one machine go on', async () => {
      const out = folder.at('queue-interrupted');
      startWorker();
      const sweep = start('sweep', file, '--out', out, '--queue', redis.url);
      await until(() => journalBytes(out) > 8000);
      sweep.process.kill('SIGINT');
      expect(await sweep.ended).toBe(130);
      expect(journalPoints(out).length).toBeLessThan(100);
      expect(sim('sweep', file, '--out', out, '--resume').exitCode).toBe(0);
      check(out);
    });
  });

  test('keeps the points of a worker that lacks a file of the scenario for one that has it', async () => {
    const [file, capture] = [folder.at('replay.yaml'), folder.at('data/camera.pcap')];
    mkdirSync(folder.at('data'));
    for (const name of ['trace-replay.yaml', 'data/camera.pcap']) {
      copyFileSync(join(ROOT, 'scenarios', name), name.endsWith('.yaml') ? file : capture);
    }
    const out = folder.at('replayed');
    const sweep = start('sweep', file, '--out', out, '--queue', redis.url);
    await until(() => journalBytes(out) > 0);
    const whole = readFileSync(capture);
    writeFileSync(capture, whole.subarray(0, -1));
    const lacking = startWorker();
    expect(await lacking.ended).toBe(4);
    expect(lacking.said).toContain(`${capture} is another file here than where the sweep was begun`);
    writeFileSync(capture, whole);
    startWorker();
    expect(await sweep.ended).toBe(0);
    expect(journalPoints(out)).toHaveLength(4);
  });

  test('with a sweep of another version sends a worker away', async () => {
    const [seconds] = await redis.ask((client) => client.time());
    const announced = JSON.stringify({ version: '9.9.9', seconds });
    await redis.ask((client) => client.hset('shaperlab:sweeps', 'another', announced));
    const worker = startWorker();
    expect(await worker.ended).toBe(4);
    expect(worker.said).toMatch(/the sweep at this queue is of version 9\.9\.9 but this worker of \d/);
    await redis.ask((client) => client.hdel('shaperlab:sweeps', 'another'));
  });

  test('that wants a password says so, and refuses a wrong one', () => {
    const without = sim('worker', '--queue', `redis://127.0.0.1:${redis.port}`);
    expect(without.stderr).toContain(`redis://127.0.0.1:${redis.port}: the server wants a password`);
    expect(without.exitCode).toBe(4);
    const wrong = sim('worker', '--queue', `redis://:guess@127.0.0.1:${redis.port}`);
    expect(wrong.stderr).toContain('the server refuses the user or the password');
    expect(wrong.stderr).not.toContain('guess');
    expect(wrong.exitCode).toBe(4);
  });

  test('that takes no password is not used with one', async () => {
    const open = await RedisServer.start();
    try {
      const { exitCode, stderr } = sim('worker', '--queue', `redis://:secret@127.0.0.1:${open.port}`);
      expect(stderr).toContain('a password was given but the server takes none');
      expect(exitCode).toBe(4);
    } finally {
      await open.remove();
    }
  });

  test('where nothing listens ends a sweep whose journal can be gone on with', async () => {
    const file = folder.write('small.yaml', mixedScenario('1ms', ['8.6.0']));
    const out = folder.at('unreachable');
    const words = ['sweep', file, '--vary', 'rate=10mbit,20mbit', '--out', out];
    const refused = sim(...words, '--queue', `redis://127.0.0.1:${await freePort()}`);
    expect(refused.stderr).toContain('nothing listens there');
    expect(refused.exitCode).toBe(4);
    expect(sim(...words, '--resume').exitCode).toBe(0);
  });
});
