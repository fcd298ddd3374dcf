import { classChar, gbnfText } from './gbnf-text.js';

/** White space that may stand behind a mark. */
export const FREE_SPACE = 'free-space ::= [ \\t\\n\\r]{0,4}\n';

/** Where characters lead from one place of a free text; `otherwise` = where all others do. The text may end here. */
export function placeRule(name: string, edges: ReadonlyMap<string, string>, otherwise: string): string {
  const steps = Array.from(edges, ([char, to]) => `${gbnfText(char)} ${to} | `).join('');
  return `${name} ::= [^${[...edges.keys()].map(classChar).join('')}] ${otherwise} | ${steps}""\n`;
}

/** How a call begins: marks one behind the other, white space between them. No mark may hold another. */
export type CallStart = readonly [mark: string, ...inner: string[]];

/**
 * GBNF of a free answer, whose root is `free` unless it is given another name: any text in which each mark is followed by a call, and any text again behind it.
 * The places of the text are those of the search for the marks: which beginning of one it ends with.
 * @param call GBNF of what follows the last mark of a start.
 */
export function freeBehindMarks(starts: readonly CallStart[], call: string, root = 'free'): string {
  const beginnings = [...new Set(starts.flatMap(([mark]) => Array.from(mark, (_, i) => mark.slice(0, i))))];
  const place = (at: number): string => (at === 0 ? root : `free-${at}`);
  /** Where a text leads that ends with a mark or the beginning of one. */
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
