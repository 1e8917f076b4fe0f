import { describe, expect, it } from 'vitest';
import {
  DASHES,
  ERROR_INK,
  ERROR_STEPS,
  FAILED,
  followTheme,
  INK,
  MUTED,
  PAPER,
  PASSED,
  SERIES,
  SHAPES,
  SURFACE,
} from '../../reports/theme.ts';

type Rgb = readonly [number, number, number];

function linear(hex: string): Rgb {
  const channel = (at: number): number => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

function luminance([r, g, b]: Rgb): number {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** WCAG 2: (lighter + 0.05) / (darker + 0.05). */
function contrast(a: string, b: string): number {
  const [x, y] = [luminance(linear(a)), luminance(linear(b))];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

/** Machado, Oliveira, Fernandes 2009, severity 1, on linear RGB. */
const BLINDNESS: Readonly<Record<string, readonly Rgb[]>> = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};

function lab([r, g, b]: Rgb): Rgb {
  const f = (t: number): number => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function seen(hex: string, matrix: readonly Rgb[]): Rgb {
  const [r, g, b] = linear(hex);
  return matrix.map((row) => Math.max(0, row[0] * r + row[1] * g + row[2] * b)) as unknown as Rgb;
}

function distance(a: Rgb, b: Rgb): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

describe('colours', () => {
  for (const theme of ['light', 'dark'] as const) {
    it(`are legible as text on paper in the ${theme} theme`, () => {
      for (const colour of [INK, MUTED, PASSED, FAILED, ...SERIES]) {
        expect(contrast(colour[theme], PAPER[theme]), colour.name).toBeGreaterThanOrEqual(4.5);
        expect(contrast(colour[theme], SURFACE[theme]), colour.name).toBeGreaterThanOrEqual(4.5);
      }
    });

    it(`leave the figures in the cells of a heat map legible in the ${theme} theme`, () => {
      ERROR_STEPS.forEach((step, i) => {
        expect(contrast(step[theme], (ERROR_INK[i] as typeof step)[theme]), step.name).toBeGreaterThanOrEqual(4.5);
      });
    });

    for (const [name, matrix] of Object.entries(BLINDNESS)) {
      it(`of the first three series differ for eyes with ${name} in the ${theme} theme`, () => {
        const labs = SERIES.slice(0, 3).map((c) => lab(seen(c[theme], matrix)));
        for (let i = 0; i < labs.length; i++) {
          // A difference of 10 in CIE Lab is seen at a glance.
          for (let j = 0; j < i; j++) expect(distance(labs[i] as Rgb, labs[j] as Rgb)).toBeGreaterThan(10);
        }
      });
    }
  }

  it('never come alone: each series has a dash and a shape of its own', () => {
    expect(new Set(DASHES.map(String)).size).toBe(SERIES.length);
    expect(new Set(SHAPES).size).toBe(SERIES.length);
  });

  it('turn into properties of the page in attributes, not in texts', () => {
    expect(followTheme(`<path fill="${PAPER.light}"/><text>fill="${PAPER.light}"</text>`)).toBe(
      `<path fill="var(--paper)"/><text>fill="${PAPER.light}"</text>`,
    );
  });
});
