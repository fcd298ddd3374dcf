import type { PlayedServer } from '@slipway/testing';
import { describe, expect, it } from 'vitest';
import type { Raised, Sight } from '../stage/client-process.js';
import { actsOf, type ClientKind, titleOf } from '../stage/clients.js';
import { PLAYED_HALF, questionFor, type Scene } from '../stage/played-scenes.js';
import type { Company } from './company.js';

/** Ways in which an upstream breaks an answer, in the middle of its text or of a call's arguments. */
const TEXT_BREAKS: readonly Scene[] = ['error in mid-stream', 'no finish', 'cut', 'abort'];
const CALL_BREAKS: readonly Scene[] = ['call, error', 'call, no finish', 'call, cut', 'broken arguments'];

const TEXT_ACTS = ['stream', 'helper'];
const CALL_ACTS = ['streamTool', 'helperTool', 'streamRunner'];
const WHOLE_ACTS: Readonly<Record<string, readonly Scene[]>> = {
  plain: TEXT_BREAKS,
  fakedStream: TEXT_BREAKS,
  tool: CALL_BREAKS,
  runner: CALL_BREAKS,
};

/** What the exception of a broken stream is called, and what of our error it shows. */
const RAISED: Readonly<Record<ClientKind['family'], (kind: ClientKind) => Partial<Raised>>> = {
  openai: () => ({ name: 'APIError', code: 'engine_error' }),
  anthropic: () => ({ name: 'APIError', type: 'api_error' }),
  langchain: ({ contract }) =>
    contract === 'messages' ? { name: 'APIError', type: 'api_error' } : { name: 'APIError', code: 'engine_error' },
  'pydantic-ai': () => ({}),
  litellm: () => ({}),
  // What it throws itself has the status of the answer, 200, and no code.
  ai: ({ flavour }) => (flavour.startsWith('ai-6') ? {} : { name: 'StreamProviderError' }),
};

/** The client raises, shows nothing as complete, and gives away nothing of the upstream. */
function expectRaised({ error, finish, calls, ran }: Sight, wanted: Partial<Raised>): void {
  expect(error).toMatchObject(wanted);
  // In our own words: whoever reads the exception learns what happened.
  expect(error?.message).toMatch(/engine/i);
  expect(JSON.stringify(error)).not.toContain('secret');
  // The AI SDK calls it a finish that there was an error.
  expect([null, 'error']).toContain(finish);
  expect(calls.filter(({ invalid }) => invalid !== true)).toEqual([]);
  expect(ran).toEqual([]);
}

async function expectBrokenText(
  company: Company,
  kind: ClientKind,
  act: string,
  [server, scene]: readonly [PlayedServer, Scene],
): Promise<void> {
  const sight = await company.saw(kind, { act, text: questionFor(scene) }, server);
  expectRaised(sight, RAISED[kind.family](kind));
  expect(sight.text).toBe(PLAYED_HALF);
  expect(sight.requests).toBe(1);
}

async function expectBrokenCall(
  company: Company,
  kind: ClientKind,
  act: string,
  [server, scene]: readonly [PlayedServer, Scene],
): Promise<void> {
  const sight = await company.saw(kind, { act, text: questionFor(scene) }, server);
  expectRaised(sight, act === 'streamRunner' ? {} : RAISED[kind.family](kind));
}

async function expectBrokenAnswer(
  company: Company,
  kind: ClientKind,
  act: string,
  [server, scene]: readonly [PlayedServer, Scene],
): Promise<void> {
  const sight = await company.saw(kind, { act, text: questionFor(scene) }, server);
  expectRaised(sight, { status: kind.contract === 'messages' ? 500 : 502 });
  expect(sight.text).toBe('');
}

/** Nothing has failed: the answer is as long as it was allowed to be. */
async function expectNoCallOfHalf(company: Company, kind: ClientKind, server: PlayedServer): Promise<void> {
  const [act = ''] = actsOf(kind, ['tool', 'runner']);
  const { calls, finish, error } = await company.saw(kind, { act, text: questionFor('call, length') }, server);
  expect(calls.filter(({ invalid }) => invalid !== true)).toEqual([]);
  // Who parses the arguments by hand meets their end; all others see why there is no call.
  if (kind.contract === 'chat' && kind.family === 'openai') expect(error?.name).toBe('SyntaxError');
  else if (/agents|pydantic/.test(kind.program)) expect(error?.message).toMatch(/incomplete|token limit/i);
  // It shows that there is no call, and not why.
  else if (kind.family === 'litellm') expect({ error, finish }).toEqual({ error: null, finish: 'stop' });
  else
    expect({ error, finish }).toEqual({
      error: null,
      finish: expect.stringMatching(/^(length|max_tokens|model_context_window_exceeded|incomplete)$/) as string,
    });
}

/** What clients make of upstreams that break off: always an exception, never an end, never a call that was not made. */
export function describeBrokenStreams(company: Company): void {
  const { kinds, backends } = company.casting;
  const servers = backends.filter((backend): backend is PlayedServer => backend !== 'demo');
  const pairs = (scenes: readonly Scene[]): (readonly [PlayedServer, Scene])[] =>
    servers.flatMap((server) => scenes.map((scene) => [server, scene] as const));
  describe.each(kinds.map((kind) => [titleOf(kind), kind] as const))('%s', (_, kind) => {
    for (const act of actsOf(kind, TEXT_ACTS)) {
      it.each(pairs(TEXT_BREAKS))(`raises after the text that came (${act}; %s: %s)`, (...pair) =>
        expectBrokenText(company, kind, act, pair),
      );
    }
    for (const act of actsOf(kind, CALL_ACTS)) {
      it.each(pairs(CALL_BREAKS))(`raises and completes no call (${act}; %s: %s)`, (...pair) => expectBrokenCall(company, kind, act, pair));
    }
    it.each(servers)('takes no call that the limit cut for a whole one (%s)', (server) => expectNoCallOfHalf(company, kind, server));
    for (const act of actsOf(kind, Object.keys(WHOLE_ACTS))) {
      it.each(pairs(WHOLE_ACTS[act]!))(`raises by status when nothing is streamed (${act}; %s: %s)`, (...pair) =>
        expectBrokenAnswer(company, kind, act, pair),
      );
    }
  });
}

/** What the same clients make of the same breaks when they talk to the engine themselves: it shows that the tests above can fail. */
export function describeUnguardedStreams(company: Company): void {
  const direct = (kind: ClientKind, act: string, scene: Scene): Promise<Sight> => {
    const baseURL = company.stage.upstreamOf('vllm').url;
    return company.saw(kind, { act, baseURL, model: 'scripted', text: questionFor(scene) }, 'vllm');
  };
  const chatKinds = company.casting.kinds.filter(({ contract }) => contract === 'chat');

  it.each(chatKinds.filter(({ family }) => family === 'openai'))('$flavour takes half an answer for a whole one', async (kind) => {
    const { text, error } = await direct(kind, 'stream', 'no finish');
    expect({ text, error }).toEqual({ text: PLAYED_HALF, error: null });
  });

  it.each(chatKinds.filter(({ family }) => family === 'langchain'))('$flavour completes a call that was cut', async (kind) => {
    const { calls, error } = await direct(kind, 'streamTool', 'call, no finish');
    expect(error).toBeNull();
    expect(calls).toEqual([{ id: 'call_played1', name: 'get_weather', input: { city: expect.stringMatching(/^Par/) as string } }]);
  });
}
