import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** Whether a Redis server is installed. */
export const HAS_REDIS = spawnSync('redis-server', ['--version']).status === 0;

/** A Redis server of its own on a free port of this machine, which forgets everything when it is stopped. */
export class RedisServer {
  readonly port: number;
  readonly #password: string | undefined;
  readonly #folder = mkdtempSync(join(tmpdir(), 'redis-test-'));
  #process: ChildProcess | undefined;

  private constructor(port: number, password: string | undefined) {
    this.port = port;
    this.#password = password;
  }

  static async start(password?: string): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), password);
    await server.start();
    return server;
  }

  /** How it is reached. */
  get url(): string {
    return `redis://${this.#password === undefined ? '' : `:${this.#password}@`}127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const words = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--dir', this.#folder];
    if (this.#password !== undefined) words.push('--requirepass', this.#password);
    this.#process = spawn('redis-server', words, { stdio: 'ignore' });
    for (let i = 0; i < 500; i++) {
      if ((await this.ask((redis) => redis.ping()).catch(() => '')) === 'PONG') return;
      await sleep(20);
    }
    throw new Error('redis-server does not answer');
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.#process!.once('exit', resolve));
    this.#process!.kill();
    await gone;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Asks the server something. */
  async ask<T>(question: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(this.url, { lazyConnect: true, retryStrategy: () => null });
    redis.on('error', () => {});
    try {
      await redis.connect();
      return await question(redis);
    } finally {
      redis.disconnect();
    }
  }
}

/** A port of the loopback that nobody listens at. */
export function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
