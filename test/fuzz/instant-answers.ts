import type { Start, StreamEvent } from '@slipway/contracts';
import { countSeven, embedNumbers, type Script, usageOf } from '../gateway/scripted-runner.js';

type Request = Start['req'];

/** The tool that an answer calls; null = it says something. */
function calledTool({ tools = [], tool_choice: choice, messages }: Request): string | null {
  const [first] = tools;
  if (!first || choice === 'none') return null;
  if (typeof choice === 'object') return choice.name;
  return choice === 'required' || messages.length % 2 === 0 ? first.name : null;
}

/** Arguments with a text for each field that the tool needs. */
function argumentsFor({ tools = [] }: Request, name: string): string {
  const required = tools.find((tool) => tool.name === name)?.parameters?.['required'];
  return JSON.stringify(Object.fromEntries((Array.isArray(required) ? required : []).map((field: string) => [field, 'x'])));
}

function choiceOf(request: Request, c: number): StreamEvent[] {
  const tool = calledTool(request);
  const think: StreamEvent[] = request.reasoning?.enabled ? [{ k: 'think', c, x: 'hm', n: 1 }] : [];
  if (tool !== null) {
    return [
      ...think,
      { k: 'call', c, i: 0, id: `call_${c}`, name: tool, n: 1 },
      { k: 'args', c, i: 0, x: argumentsFor(request, tool), n: 1 },
      { k: 'fin', c, r: 'tool_calls' },
    ];
  }
  const lp = request.logprobs === undefined ? {} : { lp: [{ t: 'ok', p: -0.5, top: [{ t: 'ok', p: -0.5 }].slice(0, request.logprobs) }] };
  return [...think, { k: 'text', c, x: 'ok', n: 1, ...lp }, { k: 'fin', c, r: 'stop' }];
}

/** Answers whatever was asked at once, with as many choices and the calls that were wanted. */
export const answerAtOnce: Script = async (start, writer, signal) => {
  if (start.api === 'count') return countSeven(start, writer, signal);
  if (start.api === 'embed') return embedNumbers(start, writer, signal);
  const choices = start.req.n ?? 1;
  writer.events([{ k: 'start', prompt: 7, cached: 3 }]);
  for (let c = 0; c < choices; c += 1) writer.events(choiceOf(start.req, c));
  return usageOf(2 * choices);
};
