/** Control characters in text of others could move a terminal's cursor or hide what was printed. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD');

const MISSING = '-';

/** A cell; null and the empty text are shown as a hyphen. */
export type Cell = string | number | null | undefined;

const cellText = (cell: Cell): string => (cell === null || cell === undefined || cell === '' ? MISSING : printable(String(cell)));

const graphemes = new Intl.Segmenter();
const widthOf = (text: string): number => [...graphemes.segment(text)].length;

/** Lines of columns under their titles, without trailing blanks. */
export function table(titles: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = [titles, ...rows.map((row) => row.map(cellText))];
  const widths = titles.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))));
  const pad = (text: string, column: number): string => text + ' '.repeat((widths[column] ?? 0) - widthOf(text));
  return cells.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}

/** A table, or a sentence where there is nothing. */
export const tableOr = (nothing: string, titles: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  rows.length === 0 ? nothing : table(titles, rows);

/** One thing, a line for each of its properties; those without a value are left out. */
export function fields(pairs: readonly (readonly [string, Cell])[]): string {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${cellText(value)}`).join('\n');
}
