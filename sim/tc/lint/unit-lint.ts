import { formatRate, parseRate } from '../../units/rate.ts';
import { UnitError } from '../../units/unit-error.ts';
import type { LintFinding } from './finding.ts';

const BYTES_A_SECOND = /^\s*[\d.]+\s*(?:[kmgt]i?)?bps\s*$/i;
/** Sections in which a rate can stand. */
const SECTIONS = ['vars', 'sweep', 'hops', 'flows'];
const DEEPEST = 32;
/** Rates below that are taken for a prefix that was left out (bit/s). */
const FEWEST_BITS = 8000;

/** Finds rates written in bytes a second: `100kbps` is eight times 100 kbit/s. */
export function lintUnits(document: unknown): LintFinding[] {
  const findings: LintFinding[] = [];
  const walk = (node: unknown, path: readonly string[]): void => {
    if (isFewBits(node, path)) findings.push(fewBits(String(node).trim(), path));
    if (typeof node === 'string' && BYTES_A_SECOND.test(node)) findings.push(findingOf(node.trim(), path));
    if (typeof node !== 'object' || node === null || path.length > DEEPEST) return;
    for (const [key, value] of Object.entries(node)) {
      if (path.length > 0 || SECTIONS.includes(key)) walk(value, [...path, key]);
    }
  };
  walk(document, []);
  return findings;
}

/** A rate of a class or limiter without prefix: nobody limits to some hundred bits a second. */
function isFewBits(node: unknown, path: readonly string[]): boolean {
  if (path[0] !== 'hops' || !/^(?:rate|ceil|peakrate)$/.test(path.at(-1)!) || path.at(-2) === 'link') return false;
  const match = /^\s*(\d+)\s*(?:bit)?\s*$/i.exec(String(node));
  return match !== null && Number(match[1]) >= 8 && Number(match[1]) < FEWEST_BITS;
}

function fewBits(text: string, path: readonly string[]): LintFinding {
  const digits = Number.parseInt(text, 10);
  return {
    rule: 'rate-in-bits',
    path,
    text: `${text} are ${digits} bits a second: a full packet takes ${Math.round((1514 * 8) / digits)} s`,
    hint: `write ${digits}kbit or ${digits}mbit`,
  };
}

function findingOf(text: string, path: readonly string[]): LintFinding {
  const bits = text.replace(/bps$/i, 'bit');
  let rate = '';
  try {
    rate = ` = ${formatRate(parseRate(text))}`;
  } catch (error) {
    if (!(error instanceof UnitError)) throw error;
  }
  return {
    rule: 'bytes-for-bits',
    path,
    text: `${text} are bytes a second${rate}, eight times ${bits}`,
    hint: `write ${bits} if bits a second are meant`,
  };
}
