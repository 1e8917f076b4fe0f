/** How far one read visit goes. */
export type VisitRule =
  /** Until the socket is empty or the iterations are used up. */
  | 'until-empty'
  /** As before, but at most one second's worth of the limit. */
  | 'limit-per-visit'
  /** Ends after the first read that returned something. */
  | 'first-data'
  /** Ends once a quarter of the limit was received. */
  | 'quarter-limit'
  /** Ends when the bucket is empty. */
  | 'tokens';

/** How the stepped bucket divides the second. */
export type StepRule =
  /** One step of a second, always. */
  | 'second'
  /** Two steps of 500 ms where the limit reaches 32768 bytes/s. */
  | 'half-second'
  /** A second, stretched or shrunk for downloads of known length. */
  | 'tuned';

/** How far the server of a limited HTTP/2 download may send ahead of curl. */
export type StreamRule =
  /** One and a half seconds' worth, from the start of the stream. */
  | 'ahead'
  /** 64 KiB, and a second's worth once the answer starts. */
  | 'second'
  /** The tokens at hand. */
  | 'tokens';

/** What a release of curl does with a speed limit. */
export interface CurlRules {
  readonly version: string;
  readonly family: 'average-window' | 'stepped-bucket';
  readonly visit: VisitRule;
  /** Reads of one visit at most. */
  readonly visitReads: number;
  /** 8.16.0 judges the quarter before it has read anything: below 4 bytes/s it never reads. */
  readonly judgesQuarterFirst: boolean;
  /** The limit is judged again directly after a visit, not at the next call. */
  readonly checksAfterVisit: boolean;
  /** A transfer that has waited long enough moves data in the same call, without polling the socket first. */
  readonly resumesAtOnce: boolean;
  /** A body send is cut to one second's worth of the limit. */
  readonly capsSends: boolean;
  /** A re-used handle starts with the byte count of its previous transfer as the window's base (curl issue 4084). */
  readonly keepsOldCount: boolean;
  readonly steps: StepRule;
  /** Every start returns to the values of the limit first, so that a re-used handle is not tuned twice. */
  readonly restoresAtStart: boolean;
  /** Tokens that may be saved up, whatever the limit (bytes); 0: one step's worth. */
  readonly burstFloorBytes: number;
  /** A debt is waited for in proportion; otherwise for whole steps. */
  readonly proportionalDebt: boolean;
  /** `--limit-rate` takes fractions, and t and p for powers of 1024 (curl commit 6d6899c2f0). */
  readonly readsFractions: boolean;
  readonly stream: StreamRule;
}

/** The revision of the rewrite that the mail of November 2025 measured, before it was merged. */
export const PULL_REQUEST = 'pr19384';

const releases: readonly string[] = (
  '7.60.0 7.61.0 7.61.1 7.62.0 7.63.0 7.64.0 7.64.1 7.65.0 7.65.1 7.65.2 7.65.3 7.66.0 7.67.0 7.68.0 7.69.0 7.69.1 ' +
  '7.70.0 7.71.0 7.71.1 7.72.0 7.73.0 7.74.0 7.75.0 7.76.0 7.76.1 7.77.0 7.78.0 7.79.0 7.79.1 7.80.0 7.81.0 7.82.0 ' +
  '7.83.0 7.83.1 7.84.0 7.85.0 7.86.0 7.87.0 7.88.0 7.88.1 8.0.0 8.0.1 8.1.0 8.1.1 8.1.2 8.2.0 8.2.1 8.3.0 8.4.0 ' +
  '8.5.0 8.6.0 8.7.0 8.7.1 8.8.0 8.9.0 8.9.1 8.10.0 8.10.1 8.11.0 8.11.1 8.12.0 8.12.1 8.13.0 8.14.0 8.14.1 8.15.0 ' +
  '8.16.0 8.17.0 8.18.0 8.19.0 8.20.0 8.21.0 8.22.0'
).split(' ');

/** Every version that the model knows, oldest first: the releases from 7.60.0, and `pr19384`. */
export const curlVersions: readonly string[] = [...releases, PULL_REQUEST];

function compareVersions(left: string, right: string): number {
  const a = left.split('.').map(Number);
  const b = right.split('.').map(Number);
  for (let i = 0; i < 3; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function visitOf(from: (version: string) => boolean): Pick<CurlRules, 'visit' | 'visitReads'> {
  if (from('8.18.0')) return { visit: 'tokens', visitReads: 11 };
  if (from('8.16.0')) return { visit: 'quarter-limit', visitReads: 11 };
  if (from('8.7.0')) return { visit: 'first-data', visitReads: 11 };
  // curl pull request 11115: leave the loop once the limit was received.
  if (from('8.2.0')) return { visit: 'limit-per-visit', visitReads: 11 };
  // The socket filter can say that more is pending; before it, a plain connection never did.
  if (from('7.88.0')) return { visit: 'until-empty', visitReads: 101 };
  return { visit: 'until-empty', visitReads: 1 };
}

/**
 * The rules of a version of curl, or undefined for one that is not in {@link curlVersions}.
 *
 * Source: curl, lib/progress.c, lib/multi.c and lib/transfer.c (7.60.0 to 8.17.0), lib/ratelimit.c (8.18.0 on).
 */
export function rulesOf(version: string): CurlRules | undefined {
  if (!curlVersions.includes(version)) return undefined;
  const isPullRequest = version === PULL_REQUEST;
  const from = (release: string): boolean => compareVersions(isPullRequest ? '8.18.0' : version, release) >= 0;
  return {
    version,
    family: from('8.18.0') ? 'stepped-bucket' : 'average-window',
    ...visitOf(from),
    judgesQuarterFirst: from('8.16.0') && !from('8.17.0'),
    checksAfterVisit: from('8.16.0'),
    resumesAtOnce: from('8.16.0'),
    capsSends: from('8.7.0'),
    keepsOldCount: !from('7.66.0'),
    steps: isPullRequest ? 'second' : from('8.19.0') ? 'tuned' : 'half-second',
    restoresAtStart: from('8.20.0'),
    burstFloorBytes: from('8.21.0') ? 32768 : 0,
    proportionalDebt: from('8.19.0'),
    readsFractions: from('8.19.0'),
    stream: from('8.18.0') ? 'tokens' : from('8.10.0') ? 'second' : 'ahead',
  };
}

/** Receive buffer of an application on libcurl's defaults (bytes). Source: curl, READBUFFER_SIZE. */
const LIBRARY_BUFFER_BYTES = 16384;
/** Receive buffer that the command asks for (bytes). Source: curl, src/tool_operate.c. */
const TOOL_BUFFER_BYTES = 102400;
/** Smallest receive buffer that libcurl accepts (bytes). */
const SMALLEST_BUFFER_BYTES = 1024;

/** Bytes of the body that one read of the application fills at most. Source: curl, UPLOADBUFFER_DEFAULT. */
export const UPLOAD_BUFFER_BYTES = 65536;

/**
 * The receive buffer (bytes): the library's default, or the command's, which takes the limit itself where that is smaller.
 *
 * @param limitBytesPerSecond 0: unlimited.
 */
export function receiveBufferBytes(client: 'tool' | 'lib', limitBytesPerSecond: number): number {
  if (client === 'lib') return LIBRARY_BUFFER_BYTES;
  if (limitBytesPerSecond === 0 || limitBytesPerSecond >= TOOL_BUFFER_BYTES) return TOOL_BUFFER_BYTES;
  return Math.max(limitBytesPerSecond, SMALLEST_BUFFER_BYTES);
}
