import { classChar, gbnfText } from './gbnf-text.js';

/** White space after a mark. */
export const FREE_SPACE = 'free-space ::= [ \\t\\n\\r]{0,4}\n';

/** Rule of one state of a free text: targets by character; `otherwise` = target of all others. The text may end here. */
export function placeRule(name: string, edges: ReadonlyMap<string, string>, otherwise: string): string {
  const steps = Array.from(edges, ([char, to]) => `${gbnfText(char)} ${to} | `).join('');
  return `${name} ::= [^${[...edges.keys()].map(classChar).join('')}] ${otherwise} | ${steps}""\n`;
}

/** Beginning of a call: marks with white space between them. No mark may contain another. */
export type CallStart = readonly [mark: string, ...inner: string[]];

/**
 * GBNF of a free answer with the root `free` or another name: any text in which each mark is followed by a call, and then by any
 * text. The states are those of the search for the marks: the beginning of a mark with which the text ends.
 * @param call GBNF after the last mark of a start.
 */
export function freeBehindMarks(starts: readonly CallStart[], call: string, root = 'free'): string {
  const beginnings = [...new Set(starts.flatMap(([mark]) => Array.from(mark, (_, i) => mark.slice(0, i))))];
  const place = (at: number): string => (at === 0 ? root : `free-${at}`);
  /** State after a text that ends with a mark or the beginning of one. */
  const after = (text: string): string => {
    const start = starts.findIndex(([mark]) => text.endsWith(mark));
    if (start >= 0) return `free-call-${start}`;
    const rest = Array.from(text, (_, i) => text.slice(i)).find((suffix) => beginnings.includes(suffix));
    return place(rest === undefined ? 0 : beginnings.indexOf(rest));
  };
  const alphabet = [...new Set(starts.flatMap(([mark]) => Array.from(mark)))];
  const places = beginnings.map((beginning, at) => {
    const edges = alphabet.map((char) => [char, after(beginning + char)] as const).filter(([, to]) => to !== root);
    return placeRule(place(at), new Map(edges), root);
  });
  const calls = starts.map(([, ...inner], i) => {
    const marks = inner.map((mark) => `${gbnfText(mark)} `).join('');
    return `free-call-${i} ::= free-space ${marks}free-one ${root}\n`;
  });
  return `${places.join('')}${calls.join('')}free-one ::= ${call}\n${FREE_SPACE}`;
}
