import { expect, test } from 'vitest';
import { parseRedisUrl } from '../../../sim/sweep/queue/redis-url.ts';

test('a host alone has the usual port, no password and no TLS', () => {
  expect(parseRedisUrl('redis://cache')).toEqual({
    host: 'cache',
    port: 6379,
    username: undefined,
    password: undefined,
    database: 0,
    isEncrypted: false,
    shown: 'redis://cache:6379',
  });
});

test('everything may be given; what is shown has no password', () => {
  expect(parseRedisUrl('rediss://sim:a%40b%2F@[::1]:7000/3')).toEqual({
    host: '::1',
    port: 7000,
    username: 'sim',
    password: 'a@b/',
    database: 3,
    isEncrypted: true,
    shown: 'rediss://[::1]:7000',
  });
});

test('a password goes without a user', () => {
  expect(parseRedisUrl('redis://:pw@h')).toMatchObject({ username: undefined, password: 'pw' });
});

test.each(['cache:6379', 'http://cache', 'redis://', 'redis://h/x', 'redis://:secret@h:port', ''])(
  '%s is refused, and no password is shown',
  (text) => {
    expect(() => parseRedisUrl(text)).toThrow('--queue: expected redis://[user:password@]host[:port][/database]');
    expect(() => parseRedisUrl(text)).not.toThrow('secret');
  },
);
