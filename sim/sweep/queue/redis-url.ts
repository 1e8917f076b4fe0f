import { SweepFault } from '../sweep-fault.ts';

const USUAL_PORT = 6379;

/** Where a Redis server is, and how it knows its users. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
  readonly isEncrypted: boolean;
  /** For messages: without the password. */
  readonly shown: string;
}

/** Reads `redis://[user:password@]host[:port][/database]`; `rediss:` is with TLS. @throws SweepFault (usage) */
export function parseRedisUrl(text: string): RedisAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const database = /^\/?(\d{0,5})$/.exec(url?.pathname ?? 'none')?.[1];
  if (
    url === undefined ||
    !['redis:', 'rediss:'].includes(url.protocol) ||
    url.hostname === '' ||
    database === undefined
  ) {
    throw new SweepFault(
      'usage',
      '--queue: expected redis://[user:password@]host[:port][/database], or rediss:// for TLS',
      'signs such as @ : / in a password are written %40 %3A %2F',
    );
  }
  const decoded = (part: string) => (part === '' ? undefined : decodeURIComponent(part));
  const port = url.port === '' ? USUAL_PORT : Number(url.port);
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    username: decoded(url.username),
    password: decoded(url.password),
    database: Number(database),
    isEncrypted: url.protocol === 'rediss:',
    shown: `${url.protocol}//${url.hostname}:${port}`,
  };
}
