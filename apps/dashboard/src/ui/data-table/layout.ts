import type { PageSize } from '../../url-state/table-search.js';

/** Height of a row, in pixels. */
export const ROW_PX = { normal: 44, compact: 36 } as const;
/** Height of the line that names the columns. */
export const HEAD_PX = 36;
/** Height of a card that stands for a row on phones. */
export const CARD_PX = 64;
/** More rows than these on one page are drawn only where they are seen. */
export const VIRTUAL_FROM = 100;

const SELECT_PX = 40;
const ACTIONS_PX = 48;
const TEXT_PX = 120;
const NUMBER_PX = 88;
const FIRST_PX = 200;

interface Sized {
  readonly width?: number;
  readonly numeric?: boolean;
}

export interface Layout {
  /** For `grid-template-columns`. */
  readonly template: string;
  /** Below this width the table scrolls sideways. */
  readonly minWidth: number;
}

/** How wide the columns are: each at least its width, and what is left shared by it. */
export function layoutOf(columns: readonly Sized[], extras: { readonly select: boolean; readonly actions: boolean }): Layout {
  const widths = columns.map(({ width, numeric = false }, index) => {
    const usual = index === 0 ? FIRST_PX : TEXT_PX;
    return width ?? (numeric ? NUMBER_PX : usual);
  });
  const tracks = widths.map((width) => `minmax(${width}px, ${width}fr)`);
  const [before, after] = [extras.select ? SELECT_PX : 0, extras.actions ? ACTIONS_PX : 0];
  return {
    template: [before > 0 && `${before}px`, ...tracks, after > 0 && `${after}px`].filter(Boolean).join(' '),
    minWidth: widths.reduce((sum, width) => sum + width, before + after),
  };
}

export interface PageBounds {
  /** Counts from 1; the last page where the one asked for is beyond it. */
  readonly page: number;
  readonly pages: number;
  /** Index of its first row, and of the one after its last. */
  readonly start: number;
  readonly end: number;
}

/** Which rows stand on a page. */
export function pageOf(wanted: number, size: PageSize, rows: number): PageBounds {
  const length = size === 'all' ? Math.max(rows, 1) : Number(size);
  const pages = Math.max(1, Math.ceil(rows / length));
  const page = Math.min(Math.max(1, wanted), pages);
  return { page, pages, start: (page - 1) * length, end: Math.min(page * length, rows) };
}
