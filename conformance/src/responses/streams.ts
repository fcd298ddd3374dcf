import type { Part, Stage } from '../case.js';
import { expectLike, expectThat, TEXT, that } from '../check.js';
import { call, callPiece, finish, piece, thought, whole } from '../engine-answers.js';
import { askResponses, type Json, outputOf, tool } from './parts.js';

const TEXT_ORDER = [
  ...['response.created', 'response.in_progress', 'response.output_item.added', 'response.content_part.added'],
  ...['response.output_text.done', 'response.content_part.done', 'response.output_item.done', 'response.completed'],
];
const STRICT = 'openai (.stream()), openai-python and the AI SDK throw, or lose the text';

/** The events of a stream that ends well. */
async function eventsOf(stage: Stage, body: Json = {}): Promise<readonly Json[]> {
  const answer = await askResponses(stage, { ...body, stream: true });
  for (const { name, text } of answer.events) expectLike('event', JSON.parse(text), { type: name });
  expectLike(
    'sequence numbers',
    answer.chunks.map((chunk) => chunk['sequence_number']),
    [...answer.chunks.keys()],
  );
  expectThat('no [DONE], id: or retry:', !/\[DONE\]|^id:|^retry:/m.test(answer.text), answer.text);
  expectThat('a proper end', answer.complete, 'a broken connection');
  return answer.chunks;
}

const ofType = (events: readonly Json[], type: string): readonly Json[] => events.filter((event) => event['type'] === `response.${type}`);

/** One item is open at a time, and the items of the whole response are those that were done. */
function expectOrdered(events: readonly Json[]): void {
  let open = -1;
  let next = 0;
  for (const { type, output_index: index } of events) {
    if (type === 'response.output_item.added') {
      expectThat('one open item at a time', open === -1 && index === next, { open, index });
      open = next;
    } else if (type === 'response.output_item.done') {
      expectLike('index of what is done', index, open);
      open = -1;
      next += 1;
    }
  }
  const done = ofType(events, 'output_item.done').map(({ item }) => item);
  const response = events.at(-1)?.['response'] as { output: unknown } | undefined;
  expectLike('output of the whole response', response?.output, done);
}

const orders: readonly Part[] = [
  {
    number: 31,
    promise: 'a text has its events in order, numbered from 0, one created and one completed',
    breaks: STRICT,
    run: async (stage) => {
      const events = await eventsOf(stage);
      const types = events.map(({ type }) => type).filter((type) => type !== 'response.output_text.delta');
      const reasoning = types.some((type) => String(type).includes('reasoning'));
      if (!reasoning) expectLike('events', types, TEXT_ORDER);
      expectLike('deltas', ofType(events, 'output_text.delta')[0], {
        item_id: TEXT,
        output_index: that('a number', isNumber),
        content_index: 0,
      });
      expectLike('ends', [events[0]?.['type'], events.at(-1)?.['type']], ['response.created', 'response.completed']);
      expectOrdered(events);
    },
  },
  {
    number: 32,
    promise: 'text, a call and text are items 0, 1 and 2',
    breaks: 'Codex runs a call when its item is done, and shows texts only then',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(whole(piece('a'), ...call({ name: 'f', pieces: ['{"q":', '1}'] }), piece('b'), finish('tool_calls')));
      const events = await eventsOf(stage, { tools: [tool('f')] });
      expectOrdered(events);
      const items = ofType(events, 'output_item.done').map(({ item }) => (item as Json)['type']);
      expectLike('items', items, ['message', 'function_call', 'message']);
    },
  },
  {
    number: 33,
    promise: 'two interleaved calls come one after the other',
    breaks: 'openai throws for a delta of an item that is not open, LangChain mixes the arguments',
    needs: ['engine'],
    run: async (stage) => {
      const open = [0, 1].flatMap((index) => call({ index, name: `f${index}`, pieces: [] }));
      stage.engine.play(
        whole(...open, callPiece(0, '{"a":'), callPiece(1, '{"b":'), callPiece(0, '1}'), callPiece(1, '2}'), finish('tool_calls')),
      );
      const events = await eventsOf(stage, { tools: [tool('f0'), tool('f1')] });
      expectOrdered(events);
      const called = ofType(events, 'output_item.done').map(({ item }) => item);
      expectLike('calls', called, [
        { name: 'f0', arguments: '{"a":1}' },
        { name: 'f1', arguments: '{"b":2}' },
      ]);
    },
  },
  {
    number: 34,
    promise: 'thoughts come as a summary part, with encrypted_content where it is asked for',
    breaks: 'openai throws "missing content at index 0" for reasoning_text, the AI SDK and Codex show summaries alone',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(whole(thought('I '), thought('think.'), piece('yes'), finish('stop')));
      const events = await eventsOf(stage, { store: false, include: ['reasoning.encrypted_content'] });
      const deltas = ofType(events, 'reasoning_summary_text.delta').map(({ delta }) => delta);
      expectLike('summary', deltas.join(''), 'I think.');
      expectThat('no reasoning_text', !events.some(({ type }) => String(type).includes('reasoning_text')), events);
      const summary = [{ type: 'summary_text', text: 'I think.' }];
      expectLike('reasoning item', ofType(events, 'output_item.done')[0]?.['item'], {
        type: 'reasoning',
        summary,
        encrypted_content: TEXT,
      });
      expectOrdered(events);
    },
  },
];

const isNumber = (came: unknown): boolean => typeof came === 'number';

const contents: readonly Part[] = [
  {
    number: 35,
    promise: 'a character that the engine sends in halves arrives whole',
    breaks: 'Python clients keep lone surrogates and fail when they print or store the text',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(whole(...['hi ', '\ud83d', '\udc4b', '!'].map(piece), finish('stop')));
      const answer = await askResponses(stage, { stream: true });
      expectThat('no half of a character', !/\\u[dD][89a-fA-F]|\ufffd/.test(answer.text), answer.text);
      const deltas = ofType(answer.chunks, 'output_text.delta').map(({ delta }) => delta);
      expectLike('text', deltas.join(''), 'hi 👋!');
    },
  },
  {
    number: 36,
    promise: 'logprobs stand in the deltas and in the part',
    breaks: 'evaluations that read probabilities read none',
    run: async (stage) => {
      const asked = { include: ['message.output_text.logprobs'], top_logprobs: 2 };
      const answer = await askResponses(stage, asked);
      if (answer.status === 400) return expectLike('error', answer.json['error'], { param: TEXT });
      const [message] = outputOf(answer).slice(-1);
      const entry = { token: that('text', isText), logprob: that('a number', isNumber), top_logprobs: that('a list', Array.isArray) };
      const [part] = (message?.['content'] ?? []) as { logprobs: unknown[] }[];
      expectLike('the first entry of the part', part?.logprobs[0], entry);
      const [delta] = ofType(await eventsOf(stage, asked), 'output_text.delta');
      return expectLike('the first entry of a delta', ((delta?.['logprobs'] ?? []) as unknown[])[0], entry);
    },
  },
  {
    number: 37,
    promise: 'an engine that says nothing gives a message with ""',
    breaks: 'the agents SDK repeats the turn ten times, LiteLLM and pydantic-ai throw',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(whole(finish('stop')));
      const output = outputOf(await askResponses(stage, {}));
      expectLike('output', output, [{ type: 'message', content: [{ type: 'output_text', text: '' }] }]);
    },
  },
  {
    number: 38,
    promise: 'a limit in the text is incomplete, one inside a call leaves the call out',
    breaks: 'the AI SDK calls the tool with broken JSON and goes on, LangChain repairs it',
    needs: ['engine'],
    run: async (stage) => {
      const incomplete = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
      stage.engine.play(whole(piece('a'), finish('length')));
      expectLike('response', (await askResponses(stage, { max_output_tokens: 1 })).ok, incomplete);
      stage.engine.play(whole(...call({ name: 'f', pieces: ['{"q":'] }), finish('length')));
      const body = { tools: [tool('f')], max_output_tokens: 1 };
      const events = await eventsOf(stage, body);
      expectLike('the last event', events.at(-1), { type: 'response.incomplete', response: incomplete });
      const types = ofType(events, 'output_item.done').map(({ item }) => (item as Json)['type']);
      expectThat('no call that is done', !types.includes('function_call'), types);
      const output = outputOf(await askResponses(stage, body));
      expectThat(
        'no call in the output',
        output.every(({ type }) => type !== 'function_call'),
        output,
      );
    },
  },
];

const isText = (came: unknown): boolean => typeof came === 'string';

/** What streams are made of. */
export const responseStreams: readonly Part[] = [...orders, ...contents];
