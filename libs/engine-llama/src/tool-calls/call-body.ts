import type { Tool } from '@slipway/contracts';
import type { AnswerText, Reading } from './answer-text.js';
import type { ArgumentStyle, CallFinder, ToolRule } from './call-family.js';
import { callListRule, callObjectRule, type CallKeys, type CallOutcome, readCallList, readCallObject } from './call-objects.js';
import { readSteps, type Step, stepsRule, textsOf } from './call-steps.js';
import { gbnfText } from './gbnf-text.js';
import { readArguments } from './json-reading.js';

/** Content after the mark of a call: its name and arguments, or a list of calls. */
export interface CallBody {
  readonly style: ArgumentStyle;
  /** Contained texts that may be control tokens. */
  readonly marks: readonly string[];
  /** Reads it, without the marks after it. */
  read(text: AnswerText, sink: CallFinder, tools: readonly Tool[]): Reading<CallOutcome>;
  /** GBNF of it. */
  rule(tools: readonly ToolRule[], many: boolean): string;
  /** Rules of these tools that `rule` refers to. */
  readonly extra?: (tools: readonly ToolRule[]) => string;
  /** Rules of all tools that `rule` refers to. */
  readonly rules: string;
}

/** `{"name": …, "arguments": {…}}`; `lines` = several may follow, one per line. */
export function objectBody(keys: CallKeys, lines = false): CallBody {
  const call = (tools: readonly ToolRule[]): string => callObjectRule(tools, keys);
  return {
    style: 'object',
    marks: [],
    rules: '',
    *read(text, sink) {
      const first = yield* readCallObject(text, sink, keys);
      if (!lines || first !== 'done') return first;
      for (;;) {
        yield* text.skipSpace();
        if ((yield* text.peek()) !== '{') return 'done';
        if ((yield* readCallObject(text, sink, keys)) === 'done') continue;
        sink.broken();
        return 'broken';
      }
    },
    rule: (tools, many) => (lines && many ? `${call(tools)} (${gbnfText('\n')} ${call(tools)})*` : call(tools)),
  };
}

/** `[{"name": …, "arguments": {…}}, …]`; a single object without brackets is read too. */
export const listBody = (keys: CallKeys): CallBody => ({
  style: 'object',
  marks: [],
  rules: '',
  read: (text, sink) => readCallList(text, sink, keys),
  rule: (tools, many) => callListRule(callObjectRule(tools, keys), many),
});

/** A name between marks, then a JSON object. */
export interface NamedShape {
  readonly head: readonly Step[];
  /** Optional texts after the object. */
  readonly tail?: readonly string[];
  /** Texts before these that are read but never written. */
  readonly unwritten?: readonly string[];
  /** True = a list of calls is read too. */
  readonly list?: CallKeys;
  /** True = forced calls are such a list. */
  readonly writesList?: true;
  /** Converts the model's id. */
  readonly id?: (written: string, name: string) => string;
}

/** The body of calls whose name stands between marks. */
export function namedBody({ head, tail = [], unwritten = [], list, writesList, id: idOf = (written) => written }: NamedShape): CallBody {
  return {
    style: 'object',
    marks: [...textsOf(head), ...tail],
    rules: '',
    *read(text, sink) {
      if (list && ['[', '{'].includes(yield* text.peek())) return yield* readCallList(text, sink, list);
      const found = yield* readSteps(text, sink, head);
      if (found === null) return 'none';
      yield* text.skipSpace();
      if ((yield* text.peek()) !== '{') return 'none';
      sink.begin(found.name, found.id === undefined ? undefined : idOf(found.id, found.name));
      if (!(yield* readArguments(text, (piece) => sink.args(piece)))) return 'broken';
      sink.close();
      for (const mark of [...unwritten, ...tail]) {
        yield* text.skipSpace();
        yield* text.literal(mark.trim());
      }
      return 'done';
    },
    rule: (tools, many) => {
      if (list && writesList) return callListRule(callObjectRule(tools, list), many);
      const behind = tail.length === 0 ? '' : ` ${gbnfText(tail.join(''))}`;
      return `(${tools.map(({ tool, args }) => `${stepsRule(head, tool.name)} ${args}${behind}`).join(' | ')})`;
    },
  };
}
