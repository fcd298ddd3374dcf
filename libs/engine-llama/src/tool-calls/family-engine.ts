import type { ReasoningMarks } from '../reasoning-splitter.js';
import type { CallBody } from './call-body.js';
import type { CallFamily, CallForm, ToolRule } from './call-family.js';
import { type CallOutcome, readBehind } from './call-objects.js';
import type { AnswerText, Reading } from './answer-text.js';
import { type CallStart, freeBehindMarks } from './free-answer.js';
import { gbnfText } from './gbnf-text.js';

/** One row of the table of families: the marks around calls, and their content. */
export interface FamilyRow {
  readonly name: string;
  /** A template belongs to the family if it contains all texts of one of these lists. */
  readonly shows: readonly (readonly string[])[];
  /** Mark around all calls, or around each single one where `each`; `lead` and `tail` = white space inside it. */
  readonly section?: {
    readonly open: string;
    readonly close: string;
    readonly lead?: string;
    readonly tail?: string;
    readonly each?: true;
  };
  /** Beginnings of a call: the first is used in forced calls, all are read. `lead` = white space after it. */
  readonly opens: readonly string[];
  readonly lead?: string;
  readonly body: CallBody;
  /** End of a call with the white space before it; optional when read. '' = none, or part of the body. */
  readonly close: string;
  /** Text between two calls; null = there is only one call. */
  readonly between: string | null;
  /** The prompt ends with one of `opens`. */
  readonly begun?: true;
  /** Marks around the text of an answer that are not part of it. */
  readonly silent?: readonly string[];
  /** Any text between these two marks is not part of the answer. */
  readonly silentHead?: readonly [open: string, close: string];
  /** Text before constrained text. */
  readonly head?: string;
  /** Text before each forced call. `{name}` = the name of the tool. */
  readonly before?: string;
  readonly reasoning?: ReasoningMarks;
  readonly idLength?: number;
  /** Further texts that may be control tokens. */
  readonly tokens?: readonly string[];
}

/** Form of control tokens in marks. */
const TOKEN = /<[^<>\s]+>|\[[A-Z_/]+\]/gu;
const LONGEST_HEAD = 80;

/** The reader and the grammar of a row. */
export function familyOf(row: FamilyRow): CallFamily {
  const silent = [...(row.silent ?? []), ...(row.silentHead ? [row.silentHead[0]] : [])];
  return {
    name: row.name,
    marks: tokensOf(row),
    knows: (template) => row.shows.some((texts) => texts.every((text) => template.includes(text))),
    ...(row.idLength !== undefined && { idLength: row.idLength }),
    ...(row.reasoning && { reasoning: row.reasoning }),
    head: row.head ?? '',
    framesText: silent.length > 0 || row.begun === true,
    read: readerOf(row, silent),
    form: formOf(row),
  };
}

function tokensOf({ section, opens, body, close, silent = [], silentHead = ['', ''], reasoning, tokens = [] }: FamilyRow): string[] {
  const ofReasoning = reasoning ? [reasoning.open, reasoning.close, ...(reasoning.until ?? [])] : [];
  const texts = [section?.open ?? '', section?.close ?? '', ...opens, ...body.marks, close, ...silent, ...silentHead, ...ofReasoning];
  const marks = texts.map((text) => text.trim()).filter((text) => text !== '');
  return [...new Set([...marks, ...marks.flatMap((mark) => mark.match(TOKEN) ?? []), ...tokens])];
}

function readerOf(row: FamilyRow, silent: readonly string[]): CallFamily['read'] {
  const opens = row.opens.filter((open) => open !== '');
  const starts = [...(row.section ? [row.section.open] : []), ...opens];
  const words = wordsOf(row);
  const closes = [row.close, row.section?.close ?? ''].map((text) => text.trim()).filter((text) => text !== '');
  return function* (text, sink, tools) {
    for (let isFirst = true; ; isFirst = false) {
      const isBegun = isFirst && row.begun === true;
      const mark = isBegun ? '' : yield* text.until([...starts, ...silent], (piece) => sink.text(piece));
      if (mark === null) return;
      const outcome = yield* readBehind(text, sink, mark, function* (calls) {
        if (mark !== '' && mark === row.silentHead?.[0]) return yield* readHead(text, row.silentHead[1]);
        if (silent.includes(mark)) return 'silent';
        yield* text.skipSpace();
        if (yield* anyOf(text, words)) return 'silent';
        if (mark === row.section?.open && opens.length > 0) {
          if (
            !(yield* anyOf(
              text,
              opens.map((open) => open.trimStart()),
            ))
          )
            return 'none';
          yield* text.skipSpace();
        }
        return yield* row.body.read(text, calls, tools);
      });
      if (outcome === 'broken') return;
      if (outcome !== 'done') continue;
      for (const close of closes) {
        yield* text.skipSpace();
        yield* text.literal(close);
      }
    }
  };
}

/** Takes one of these texts if it comes next. */
function* anyOf(text: AnswerText, expected: readonly string[]): Reading<boolean> {
  for (const each of expected) if (yield* text.literal(each)) return true;
  return false;
}

/** Skips a short text of one line up to this mark. */
function* readHead(text: AnswerText, close: string): Reading<CallOutcome> {
  for (let length = 0; length < LONGEST_HEAD; length += 1) {
    if (yield* text.literal(close)) return 'silent';
    if (/^[\n<]?$/.test(yield* text.next())) return 'none';
  }
  return 'none';
}

/** Words after the prompt's last mark that announce text. */
const wordsOf = ({ opens, silent = [], begun }: FamilyRow): string[] =>
  begun ? silent.map((each) => opens.reduce((text, mark) => text.replace(mark, ''), each)) : [];

/** Texts before and after the calls of a row. */
interface Frame {
  /** Around all calls together. */
  readonly around: string;
  readonly behind: string;
  /** Around each call. */
  readonly first: string;
  readonly last: string;
}

function frameOf({ section, opens: [open = ''], lead = '', close, begun }: FamilyRow): Frame {
  const sectionOpen = section ? section.open + (section.lead ?? '') : '';
  const sectionClose = section ? (section.tail ?? '') + section.close : '';
  const mark = (begun ? '' : open) + lead;
  if (section?.each) return { around: '', behind: '', first: sectionOpen + mark, last: close + sectionClose };
  return { around: sectionOpen, behind: sectionClose, first: mark, last: close };
}

function formOf(row: FamilyRow): CallForm {
  const { body, between, before } = row;
  const frame = frameOf(row);
  const isList = row.section !== undefined && row.section.each !== true;
  const rest = before === undefined ? listRule(row, frame, isList) : namedRule(row, frame, before);
  return {
    open: before === undefined ? frame.around + frame.first : '',
    style: body.style,
    rules: body.rules,
    rest: (tools, many) => rest(tools, many) + withLine(body.extra?.(tools)),
    free: (tools, many) => freeRules(row, `${body.rule(tools, many)}${withLine(body.extra?.(tools))}`),
    again: isList || before !== undefined ? null : between,
  };
}

/** Calls after the mark of the first one. */
const listRule =
  ({ body, between }: FamilyRow, { first, last, behind }: Frame, isList: boolean): CallForm['rest'] =>
  (tools, many) => {
    const one = (mark: string): string => joined(gbnfText(mark), body.rule(tools, many), gbnfText(last));
    const more = many && isList && between !== null ? `(${gbnfText(between)} ${one(first)})*` : '';
    return joined(one(''), more, gbnfText(behind));
  };

/** Calls that name their tools before their marks. */
const namedRule =
  ({ body, between }: FamilyRow, { around, first, last, behind }: Frame, before: string): CallForm['rest'] =>
  (tools, many) => {
    const one = (tool: ToolRule): string =>
      joined(gbnfText(before.replace('{name}', tool.tool.name) + around + first), body.rule([tool], false), gbnfText(last + behind));
    const any = `(${tools.map(one).join(' | ')})`;
    return many && between !== null ? `${any} (${gbnfText(between)} ${any})*` : any;
  };

const withLine = (rules: string | undefined): string => (rules === undefined || rules === '' ? '' : `\n${rules.trimEnd()}`);
const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '' && part !== '""').join(' ');

/** A free answer in which each mark of a call is followed by one. */
function freeRules(row: FamilyRow, call: string): string {
  const { section, opens, begun } = row;
  const marks = opens.filter((open) => open !== '');
  const [first = '', ...others] = marks;
  const starts: CallStart[] = section ? [first === '' ? [section.open] : [section.open, first.trimStart()]] : [];
  const all = [...starts, ...(first === '' ? [] : [first, ...others]).map((open): CallStart => [open])];
  if (!begun) return freeBehindMarks(all, call);
  // After the prompt's last mark comes a call, or the word that announces text.
  const [expression, ...rules] = `(${call}`.split('\n');
  const either = `${[expression + ')', ...wordsOf(row).map(gbnfText)].join(' | ')}${rules.length > 0 ? `\n${rules.join('\n')}` : ''}`;
  return `free ::= free-one free-text\n${freeBehindMarks(all, either, 'free-text')}`;
}
