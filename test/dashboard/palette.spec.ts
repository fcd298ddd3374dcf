import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

/** Machado, Oliveira and Fernandes 2009, severity 1.0, over linear RGB. */
const BLINDNESS: Readonly<Record<string, Matrix>> = {
  'full colour vision': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
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
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** Two colours that are nearer than this (CIE76) are hard to tell apart as lines of a chart. */
const APART_MIN = 12;
const TEXT_MIN = 4.5;
/** Contrast of lines, bars and outlines of controls (WCAG 2.2, 1.4.11). */
const SHAPE_MIN = 3;

const css = readFileSync(new URL('../../apps/dashboard/src/styles.css', import.meta.url), 'utf8');
const blockOf = (selector: string): string => css.slice(css.indexOf(`${selector} {`)).split('}')[0] ?? '';
const coloursOf = (selector: string): ReadonlyMap<string, string> =>
  new Map([...blockOf(selector).matchAll(/--([a-z0-9-]+): (#[0-9a-f]{6});/g)].map(([, name = '', hex = '']) => [name, hex]));
const THEMES = [
  ['light', coloursOf(':root')],
  ['dark', coloursOf("[data-theme='dark']")],
] as const;

const linear = (channel: number): number => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);

function rgb(hex: string | undefined): Triple {
  if (hex === undefined) throw new Error('The styles have no such colour.');
  const [r, g, b] = [1, 3, 5].map((at) => linear(Number.parseInt(hex.slice(at, at + 2), 16) / 255));
  return [r!, g!, b!];
}

const dot = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const times = (matrix: Matrix, colour: Triple): Triple => [dot(matrix[0], colour), dot(matrix[1], colour), dot(matrix[2], colour)];
const luminance = (colour: Triple): number => dot([0.2126, 0.7152, 0.0722], colour);

function contrast(one: Triple, other: Triple): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

const SRGB_TO_XYZ: Matrix = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
];
const WHITE: Triple = [0.95047, 1, 1.08883];

function lab(colour: Triple): Triple {
  const [x, y, z] = times(SRGB_TO_XYZ, colour).map((value, i) => {
    const share = value / WHITE[i]!;
    return share > 216 / 24_389 ? Math.cbrt(share) : ((24_389 / 27) * share + 16) / 116;
  });
  return [116 * y! - 16, 500 * (x! - y!), 200 * (y! - z!)];
}

const distance = (one: Triple, other: Triple): number => {
  const [a, b] = [lab(one), lab(other)];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
};

const seenWith = (matrix: Matrix, colour: Triple): Triple => {
  const [r, g, b] = times(matrix, colour).map((channel) => Math.min(1, Math.max(0, channel)));
  return [r!, g!, b!];
};

describe.each(THEMES)('colours of the %s theme', (_theme, colours) => {
  const of = (name: string): Triple => rgb(colours.get(name));
  const series = Array.from({ length: 8 }, (_, n) => of(`series-${n + 1}`));

  it.each(Object.keys(BLINDNESS))('of a chart stay apart with %s', (kind) => {
    const seen = series.map((colour) => seenWith(BLINDNESS[kind]!, colour));
    const near = seen.flatMap((one, i) => seen.slice(0, i).map((other, j) => [i + 1, j + 1, distance(one, other)] as const));
    expect(near.filter(([, , apart]) => apart < APART_MIN)).toEqual([]);
  });

  it('of charts and outlines stand out from the surface', () => {
    const shapes = [...series, ...[1, 2, 3, 4].map((n) => of(`step-${n}`)), of('edge')];
    expect(Math.min(...shapes.map((colour) => contrast(colour, of('surface'))))).toBeGreaterThanOrEqual(SHAPE_MIN);
  });

  it('of text are readable on everything below them', () => {
    const pairs = ['ink', 'muted', 'accent', 'good', 'warn', 'bad'].flatMap((text) => {
      const soft = colours.has(`${text}-soft`) ? [`${text}-soft`] : [];
      return ['page', 'surface', 'raised', 'sunken', ...soft].map((ground) => [text, ground] as const);
    });
    const all = [...pairs, ['on-accent', 'accent'] as const, ['on-bad', 'bad'] as const, ['page', 'ink'] as const];
    expect(all.filter(([text, ground]) => contrast(of(text), of(ground)) < TEXT_MIN)).toEqual([]);
  });

  it('of percentiles go in even steps from strong to faint', () => {
    const contrasts = [1, 2, 3, 4].map((n) => contrast(of(`step-${n}`), of('surface')));
    expect(contrasts).toEqual(contrasts.toSorted((a, b) => b - a));
    for (const [i, one] of contrasts.slice(1).entries()) expect(contrasts[i]! / one).toBeGreaterThan(1.25);
  });
});
