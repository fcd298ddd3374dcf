import { formatKey } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import type { Raised } from '../stage/client-process.js';
import { actsOf, type ClientKind, titleOf } from '../stage/clients.js';
import { PLAYED_TEXT, questionFor } from '../stage/played-scenes.js';
import type { Company, Part } from './company.js';

type Contract = ClientKind['contract'];

/** A well-formed key that no service issued. */
const UNKNOWN_KEY = formatKey('dep', new Uint8Array(32).fill(9));
/** More than the demo model can take. */
const LONG_TEXT = 'word '.repeat(3_000);
const NO_SUCH_DEPLOYMENT = 'deployment-999999';

interface Refusal {
  readonly promise: string;
  readonly part: (company: Company, kind: ClientKind) => Part;
  /** As the SDKs of both contracts call it; LangChain passes it on. */
  readonly name: string;
  readonly status: number;
  readonly code: string;
  readonly message?: Readonly<Record<Contract, RegExp>>;
}

const hello = { act: 'plain', text: questionFor('text') };
const always = (pattern: RegExp): Readonly<Record<Contract, RegExp>> => ({ chat: pattern, messages: pattern, responses: pattern });

const REFUSALS: readonly Refusal[] = [
  {
    promise: 'learns that its key is unknown',
    part: () => ({ ...hello, apiKey: UNKNOWN_KEY }),
    name: 'AuthenticationError',
    status: 401,
    code: 'invalid_api_key',
  },
  {
    promise: 'learns that there is no such deployment',
    part: ({ stage }) => ({ ...hello, baseURL: `${stage.gateway}/${NO_SUCH_DEPLOYMENT}`, model: NO_SUCH_DEPLOYMENT }),
    name: 'NotFoundError',
    status: 404,
    code: 'model_not_found',
  },
  {
    promise: 'learns that the model is not the deployment’s',
    part: () => ({ ...hello, model: 'gpt-4' }),
    name: 'BadRequestError',
    status: 400,
    code: 'model_mismatch',
    message: always(/deployment-\d+/),
  },
  {
    promise: 'learns which parameter is out of range',
    part: (_, { program }) => ({ ...hello, more: /^(agents|ai-sdk|langchain)\.mjs$/.test(program) ? { topP: 9 } : { top_p: 9 } }),
    name: 'BadRequestError',
    status: 400,
    code: 'invalid_value',
    message: always(/top_p/),
  },
  {
    promise: 'learns that its base URL has one v1 too many',
    part: ({ stage }) => ({ ...hello, baseURL: `${stage.at('vllm').baseURL}/v1` }),
    name: 'NotFoundError',
    status: 404,
    code: 'not_found',
    message: { ...always(/base.?url.*\/v1(?!\/v1)/i), messages: /base.?url/i },
  },
];

/** Words by which LangChain and coding agents know that a conversation has to become shorter. */
const OVERFLOW: Readonly<Record<Contract, RegExp>> = {
  ...always(/maximum context length is \d+ tokens/),
  messages: /prompt is too long: \d+ tokens > \d+ maximum/,
};

/** Classes that some families have of their own. */
const OWN_CLASS: Partial<Readonly<Record<ClientKind['family'], string>>> = { ai: 'APICallError', 'pydantic-ai': 'ModelHTTPError' };

/** What an exception is called by a client of each family. LiteLLM knows a 404 only by a code of the publisher. */
const nameOf = ({ family }: ClientKind, name: string, code?: string): string =>
  family === 'litellm' && code === 'not_found' ? 'BadRequestError' : (OWN_CLASS[family] ?? name);

interface Wanted {
  readonly status: number;
  readonly code: string;
  readonly name?: string;
}

function expectRefused(kind: ClientKind, error: Raised | null, { name, status, code }: Wanted): void {
  // This client has no place for codes.
  expect(error).toMatchObject({ status, ...(kind.family !== 'litellm' && { code }) });
  if (name !== undefined) expect(error?.classes).toContain(nameOf(kind, name, code));
  expect(error?.message).toMatch(/\w/);
}

function describeMistakes(company: Company, kind: ClientKind): void {
  it.each(REFUSALS)('$promise', async ({ part, name, status, code, message }) => {
    const { error, requests } = await company.saw(kind, { maxRetries: kind.tries - 1, ...part(company, kind) }, 'vllm');
    expectRefused(kind, error, { name, status, code });
    if (message) expect(error?.message).toMatch(message[kind.contract]);
    expect(requests).toBe(1);
  });
}

/** The SDKs of the messages contract add it themselves. */
const takesV1 = ({ contract, family }: ClientKind): boolean => contract !== 'messages' || family === 'ai';

async function expectV1Named(company: Company, kind: ClientKind): Promise<void> {
  const { error } = await company.saw(kind, { ...hello, exact: true }, 'vllm');
  expectRefused(kind, error, { name: 'NotFoundError', status: 404, code: 'not_found' });
  expect(error?.message).toMatch(/base.?url/i);
}

/** Classes that some families have for it. */
const TOO_LONG: Partial<Readonly<Record<ClientKind['family'], string>>> = {
  langchain: 'ContextOverflowError',
  litellm: 'ContextWindowExceededError',
};

function describeOverflow(company: Company, kind: ClientKind): void {
  const name = TOO_LONG[kind.family] ?? nameOf(kind, 'BadRequestError');
  const cases = [
    ['demo', LONG_TEXT],
    ...company.casting.backends
      .filter((backend) => backend !== 'demo')
      .map((backend) => [backend, questionFor('context overflow')] as const),
  ] as const;
  for (const act of actsOf(kind, ['plain', 'stream'])) {
    it.each(cases)(`learns that its prompt is too long, before any stream (%s, ${act})`, async (backend, text) => {
      const { error, requests, text: said } = await company.saw(kind, { act, text, maxRetries: kind.tries - 1 }, backend);
      expect(error?.classes).toContain(name);
      expect({ said, requests }).toEqual({ said: '', requests: 1 });
      // Ollama does not tell how long the prompt is.
      expect(error?.message).toMatch(backend === 'ollama' ? /context|too long/ : OVERFLOW[kind.contract]);
    });
  }
}

/** By its default it refers to what the answer before was called. */
async function expectReferenceRefused(company: Company, kind: ClientKind): Promise<void> {
  const asUsual = { providerOptions: { openai: {} } };
  const part = { ...hello, act: 'conversation', more: asUsual, maxRetries: kind.tries - 1 };
  const { error, requests } = await company.saw(kind, part, 'vllm');
  expectRefused(kind, error, { status: 400, code: 'item_not_found' });
  expect(error?.message).toContain('store = false');
  expect(requests).toBe(2);
}

/** The same where the deployment stores what it says. */
async function expectReferenceKept(company: Company, kind: ClientKind): Promise<void> {
  const { stage } = company;
  const { path } = await stage.narrow('vllm', { store_responses: true });
  const part = {
    ...hello,
    act: 'conversation',
    more: { providerOptions: { openai: {} } },
    baseURL: `${stage.gateway}/${path}`,
    model: path,
  };
  const { error, text, requests } = await company.saw(kind, part, 'vllm');
  expect({ error, text, requests }).toEqual({ error: null, text: PLAYED_TEXT, requests: 2 });
}

/** What clients make of requests that cannot be answered: one request, the right class, and what to do about it. */
export function describeRefusals(company: Company): void {
  describe.each(company.casting.kinds.map((kind) => [titleOf(kind), kind] as const))('%s', (_, kind) => {
    describeMistakes(company, kind);
    describeOverflow(company, kind);

    it('learns of an overloaded engine by a status to retry', async () => {
      const { error } = await company.saw(kind, { act: 'plain', text: questionFor('overloaded') }, 'vllm');
      expect(error?.status).toBe(kind.contract === 'messages' ? 529 : 503);
      const after = await company.saw(kind, hello, 'vllm');
      expect(after).toMatchObject({ text: PLAYED_TEXT, error: null });
    });
  });

  it.each(company.casting.kinds.filter(({ contract, family }) => contract === 'responses' && family === 'ai'))(
    '$flavour learns once that answers are not kept, and what to set',
    (kind) => expectReferenceRefused(company, kind),
  );

  it.each(company.casting.kinds.filter(({ contract, family }) => contract === 'responses' && family === 'ai'))(
    '$flavour goes on from what a deployment stores',
    (kind) => expectReferenceKept(company, kind),
  );

  it.each(company.casting.kinds.filter(takesV1))('$flavour is asked to put v1 into its base URL', (kind) => expectV1Named(company, kind));
}
