import { isIP } from 'node:net';
import type { Redis, RedisOptions } from 'ioredis';
import { SweepFault } from '../sweep-fault.ts';
import type { RedisAddress } from './redis-url.ts';

/** How long a server may take to answer at the start (ms). */
const FIRST_ANSWER_MS = 5000;

/** The packages of the queue, which are loaded when one is asked for. */
export interface QueuePackages {
  readonly bullmq: typeof import('bullmq');
  readonly redis: typeof Redis;
}

/** Loads what a queue needs. @throws SweepFault (trouble) where it is not installed */
export async function loadQueuePackages(): Promise<QueuePackages> {
  try {
    const [bullmq, { Redis: redis }] = await Promise.all([import('bullmq'), import('ioredis')]);
    return { bullmq, redis };
  } catch {
    throw new SweepFault('trouble', '--queue needs the packages bullmq and ioredis', 'npm install bullmq ioredis');
  }
}

/**
 * Connects to a server that is known to answer and to take the password; afterwards a lost connection is made again.
 *
 * @param say told when the connection is lost, and when it is there again
 * @throws SweepFault (trouble) where there is no server, or it does not want this user
 */
export async function connect(
  packages: QueuePackages,
  address: RedisAddress,
  say: (text: string) => void,
): Promise<Redis> {
  await checkServer(packages.redis, address);
  const { username, password } = address;
  const client = new packages.redis({
    ...optionsOf(address),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    // What is asked for while the server is away waits for it.
    maxRetriesPerRequest: null,
  });
  let isLost = false;
  client.on('error', (error: Error) => {
    if (!isLost) say(`lost the connection to ${address.shown}, trying again: ${error.message}`);
    isLost = true;
  });
  client.on('ready', () => {
    if (isLost) say(`connected to ${address.shown} again`);
    isLost = false;
  });
  return client;
}

function optionsOf({ host, port, database, isEncrypted }: RedisAddress): RedisOptions {
  // The name that the certificate must have; an address has none.
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return { host, port, db: database, ...(isEncrypted ? { tls: servername } : {}) };
}

/** Asks once, by hand: the client itself would try for ever, and take no password for a warning. */
async function checkServer(client: typeof Redis, address: RedisAddress): Promise<void> {
  const { username, password, shown, database } = address;
  const probe = new client({
    ...optionsOf(address),
    db: 0,
    lazyConnect: true,
    connectTimeout: FIRST_ANSWER_MS,
    commandTimeout: FIRST_ANSWER_MS,
    enableReadyCheck: false,
    retryStrategy: () => null,
  });
  let reason: Error | undefined;
  probe.on('error', (error: Error) => {
    reason = error;
  });
  try {
    await probe.connect();
    if (password !== undefined) await probe.call('AUTH', ...(username === undefined ? [] : [username]), password);
    await probe.select(database);
    await probe.ping();
  } catch (error) {
    throw explain(reason ?? (error as Error), shown);
  } finally {
    probe.disconnect();
  }
}

function explain(error: NodeJS.ErrnoException, shown: string): SweepFault {
  const { message, code } = error;
  const trouble = (text: string, hint?: string) => new SweepFault('trouble', `${shown}: ${text}`, hint);
  if (message.includes('without any password configured')) {
    return trouble(
      'a password was given but the server takes none, anyone may use it',
      'set requirepass in redis.conf',
    );
  }
  if (/WRONGPASS|invalid password/i.test(message)) return trouble('the server refuses the user or the password');
  if (message.includes('NOAUTH')) {
    return trouble('the server wants a password', 'redis://:PASSWORD@host, or redis://USER:PASSWORD@host');
  }
  if (code === 'ECONNREFUSED') return trouble('nothing listens there', 'is the server running, and the port right?');
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return trouble('there is no such host');
  if (code === 'ETIMEDOUT' || message.includes('timed out')) return trouble('the server does not answer');
  if (/certificate/.test(message))
    return trouble(message, 'NODE_EXTRA_CA_CERTS=ca.pem trusts an authority of your own');
  return trouble(message);
}
