import type { PlayedServer } from '@slipway/testing';
import { describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import type { Sight } from '../stage/client-process.js';
import type { Backend, Naming } from '../stage/client-stage.js';
import { actsOf, type ClientKind, titleOf } from '../stage/clients.js';
import { CITY, PLAYED_TEXT, PLAYED_THOUGHT, questionFor, type Scene } from '../stage/played-scenes.js';
import type { Company } from './company.js';

type Form = 'text' | 'turns' | 'thought' | 'call' | 'run' | 'object';

interface Act {
  readonly promise: string;
  readonly form: Form;
}

const ANSWERS: Readonly<Record<string, Act>> = {
  plain: { promise: 'gets an answer', form: 'text' },
  stream: { promise: 'streams an answer', form: 'text' },
  fakedStream: { promise: 'hands on in pieces what it got whole', form: 'text' },
  thoughtful: { promise: 'streams what the model thinks, and then its answer', form: 'thought' },
  helper: { promise: 'collects a stream with its helper', form: 'text' },
  tool: { promise: 'gets a tool call', form: 'call' },
  streamTool: { promise: 'streams a tool call', form: 'call' },
  helperTool: { promise: 'collects a streamed tool call with its helper', form: 'call' },
  runner: { promise: 'runs a tool and gets an answer to its result', form: 'run' },
  streamRunner: { promise: 'runs a streamed tool call and gets an answer to its result', form: 'run' },
  schema: { promise: 'gets an object of its schema', form: 'object' },
  conversation: { promise: 'holds a conversation of two turns', form: 'turns' },
};

const QUESTIONS: Readonly<Record<Form, { readonly scene: Scene; readonly demo: string }>> = {
  text: { scene: 'text', demo: 'Who are you?' },
  turns: { scene: 'text', demo: 'Who are you?' },
  thought: { scene: 'reasoning', demo: 'Who are you?' },
  call: { scene: 'call', demo: 'What is the weather in Paris?' },
  run: { scene: 'call', demo: 'What is the weather in Paris?' },
  object: { scene: 'object', demo: 'Give me a city as JSON.' },
};

/** How a whole answer and a call end in the words of each client. */
const FINISH: Readonly<Record<ClientKind['contract'] | 'ai', { readonly text: string; readonly call: string }>> = {
  chat: { text: 'stop', call: 'tool_calls' },
  messages: { text: 'end_turn', call: 'tool_use' },
  responses: { text: 'completed', call: 'completed' },
  ai: { text: 'stop', call: 'tool-calls' },
};
const finishOf = ({ family, contract }: ClientKind): { text: string; call: string } => {
  // Its answers are those of chat, whatever the contract.
  if (family === 'litellm') return FINISH.chat;
  return FINISH[family === 'ai' ? 'ai' : contract];
};

/** The provider for the publisher's own models knows no thoughts in this contract. */
const showsThoughts = ({ flavour, contract }: ClientKind): boolean => contract !== 'chat' || !/^(@ai-sdk\/|ai-6-)openai$/.test(flavour);

/** Said by every played server. */
const PLAYED_USAGE = { prompt: 12, completion: 4 };
const WEATHER = 'Sunny, 21 degrees.';
const PARIS = { city: 'Paris' };

type Expected = (sight: Sight, kind: ClientKind) => void;

const playedText: Expected = ({ text, finish, usage }, kind) => {
  expect({ text, finish, usage }).toEqual({ text: PLAYED_TEXT, finish: finishOf(kind).text, usage: PLAYED_USAGE });
};

/** Text of the played server's answer. */
const expectPlayed: Readonly<Record<Form, Expected>> = {
  text: playedText,
  turns: playedText,
  thought: ({ text, thought, finish }, kind) => {
    const wanted = { text: PLAYED_TEXT, thought: showsThoughts(kind) ? PLAYED_THOUGHT : '', finish: finishOf(kind).text };
    expect({ text, thought, finish }).toEqual(wanted);
  },
  call: ({ calls, finish }, kind) => {
    expect({ calls, finish }).toEqual({ calls: [{ id: 'call_played1', name: 'get_weather', input: PARIS }], finish: finishOf(kind).call });
  },
  run: ({ text, finish, ran }, kind) => {
    expect({ text, finish, ran }).toEqual({ text: WEATHER, finish: finishOf(kind).text, ran: [PARIS] });
  },
  object: ({ value }) => {
    expect(value).toEqual(CITY);
  },
};

/** The demo model says what it likes; the form is what counts. */
const expectSaid: Readonly<Record<Form, Expected>> = {
  text: ({ text, finish, usage }, kind) => {
    expect(text).toMatch(/\w/);
    expect(finish).toBe(finishOf(kind).text);
    expect(usage).toEqual({ prompt: 12, completion: expect.any(Number) as number });
  },
  turns: ({ text, finish }, kind) => {
    expect(text).toMatch(/\w/);
    expect(finish).toBe(finishOf(kind).text);
  },
  thought: ({ text, thought }) => {
    expect(text).toMatch(/\w/);
    // It was never taught to think.
    expect(thought).toBe('');
  },
  call: ({ calls, finish }, kind) => {
    expect(calls).toEqual([{ id: expect.stringMatching(/^\w{24,}$/) as string, name: 'get_weather', input: PARIS }]);
    expect(finish).toBe(finishOf(kind).call);
  },
  run: ({ text, finish, ran }, kind) => {
    expect(text).toMatch(/\w/);
    expect({ finish, ran }).toEqual({ finish: finishOf(kind).text, ran: [PARIS] });
  },
  object: ({ value }) => {
    expect(value).toEqual({ city: expect.any(String) as string, inhabitants: expect.any(Number) as number });
  },
};

/** Whether the demo model answers, in whatever engine. */
const isDemoModel = (backend: Backend): boolean => backend === 'demo' || backend === 'real-llama-server';

interface Place {
  readonly backend: Backend;
  readonly naming: Naming;
}

/** Ollama cannot force a call, which is how this client asks for an object. */
const isRefused = ({ family, contract }: ClientKind, act: string, { backend }: Place): boolean =>
  family === 'ai' && contract === 'messages' && act === 'schema' && backend === 'ollama';

/** This client takes the prompt's tokens from the beginning of a stream alone, and Ollama tells them at its end. */
const countsTooEarly = ({ flavour }: ClientKind, act: string, { backend }: Place): boolean =>
  flavour === '@langchain/anthropic' && act === 'stream' && backend === 'ollama';

async function expectAnswer(company: Company, kind: ClientKind, act: string, at: Place): Promise<void> {
  const { form } = ANSWERS[act]!;
  const { scene, demo } = QUESTIONS[form];
  const isDemo = isDemoModel(at.backend);
  const part = { act, text: isDemo ? demo : questionFor(scene), ...(isDemo && { more: { temperature: 0 } }) };
  const sight = await company.saw(kind, part, at.backend, at.naming);
  if (isRefused(kind, act, at)) {
    expect(sight.error).toMatchObject({ status: 400, code: 'unsupported_parameter' });
    expect(sight.error?.message).toContain('tool_choice');
    return;
  }
  expect(sight.error).toBeNull();
  const usage = countsTooEarly(kind, act, at) ? PLAYED_USAGE : sight.usage;
  (isDemo ? expectSaid : expectPlayed)[form]({ ...sight, usage }, kind);
  // Some clients show the name of the deployment, none another one.
  expect([null, company.stage.slugOf(at.backend)]).toContain(sight.model);
}

async function expectOneModel(company: Company, kind: ClientKind, { backend, naming }: Place): Promise<void> {
  const { value, error } = await company.saw(kind, { act: 'models', text: '' }, backend, naming);
  // The word that `model` takes under this name.
  expect({ value, error }).toEqual({ value: [company.stage.at(backend, naming).model], error: null });
}

async function expectCounts(company: Company, kind: ClientKind, { backend, naming }: Place): Promise<void> {
  const { scene, demo } = QUESTIONS.call;
  const text = isDemoModel(backend) ? demo : questionFor(scene);
  for (const tools of [false, true]) {
    const counted = await company.saw(kind, { act: 'count', text, tools }, backend, naming);
    const answered = await company.saw(kind, { act: tools ? 'tool' : 'plain', text }, backend, naming);
    expect(counted.error).toBeNull();
    // Ollama counts nothing for others: what comes is an estimate.
    expect(counted.value).toEqual(backend === 'ollama' ? expect.any(Number) : answered.usage?.prompt);
    expect(counted.value).toBeGreaterThan(0);
  }
}

type Expectation = (company: Company, kind: ClientKind, at: Place) => Promise<void>;

/** Who leaves in the middle leaves nothing behind. */
async function expectLeft(company: Company, kind: ClientKind, { backend, naming }: Place): Promise<void> {
  if (isDemoModel(backend)) return;
  const { error } = await company.saw(kind, { act: 'leave', text: questionFor('silence') }, backend, naming);
  expect(error?.name ?? 'AbortError').toMatch(/Abort/);
  await until('the engine is left alone', () => company.stage.upstreamOf(backend as PlayedServer).live === 0);
}

/** Acts that answer something else than a question. */
const ASIDES: Readonly<Record<string, { readonly promise: string; readonly expect: Expectation }>> = {
  leave: { promise: 'leaves, and the engine stops', expect: expectLeft },
  models: { promise: 'finds the one model there is', expect: expectOneModel },
  count: { promise: 'counts what an answer reports', expect: expectCounts },
};

/** What every client gets from a deployment that works, under both of its names. */
export function describeGoodAnswers(company: Company): void {
  const { kinds, backends } = company.casting;
  const places = backends.flatMap((backend) => (['slug', 'alias'] as const).map((naming) => ({ backend, naming })));
  describe.each(kinds.map((kind) => [titleOf(kind), kind] as const))('%s', (_, kind) => {
    for (const act of actsOf(kind)) {
      const { promise } = ANSWERS[act] ?? ASIDES[act]!;
      it.each(places)(`${promise} ($backend, by $naming)`, (at) => {
        const aside = ASIDES[act];
        return aside ? aside.expect(company, kind, at) : expectAnswer(company, kind, act, at);
      });
    }
  });
}
