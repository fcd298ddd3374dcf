import { readFileSync } from 'node:fs';
import { CAPABILITIES, type ErrorCode, ERRORS, isServiceError, ServiceError } from '@slipway/contracts';
import { FLAVOURS, type UpstreamFlavour } from '@slipway/engine-http';
import { capabilitiesOf, jsonSchemaRules, type ReadyModel } from '@slipway/engine-llama';
import { describe, expect, it } from 'vitest';
import type { ResolvedDeployment } from '../../apps/gateway/src/deployments/deployment-resolver.service.js';
import { PUBLIC_ERROR_CODES, PUBLIC_ERRORS } from '../../apps/gateway/src/openapi/error-responses.js';
import { openApiDocument } from '../../apps/gateway/src/openapi/openapi-document.js';
import { chatErrors } from '../../apps/gateway/src/surfaces/chat/errors.js';
import { readChatRequest } from '../../apps/gateway/src/surfaces/chat/request.js';
import { messagesErrors } from '../../apps/gateway/src/surfaces/messages/errors.js';
import { readMessagesRequest } from '../../apps/gateway/src/surfaces/messages/request.js';
import { readResponsesRequest } from '../../apps/gateway/src/surfaces/responses/request.js';
import type { ErrorFormat, SurfaceRequest } from '../../apps/gateway/src/surfaces/surface.js';
import { SURFACES } from '../../apps/gateway/src/surfaces/surfaces.js';

const PAGE = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');

/** Rows between two marks, without the head of the table. */
const tableOf = (mark: string): string[] => {
  const [, inside = ''] = new RegExp(`<!-- ${mark} -->\\n([^]*?)<!-- /${mark} -->`).exec(PAGE) ?? [];
  return inside.trimEnd().split('\n').slice(2);
};
/** The code spans of the paragraph behind a mark, up to its first full stop. */
const namesBehind = (mark: string): string[] => {
  const [, list = ''] = new RegExp(`<!-- ${mark} -->\\n([^]*?)\\.(?:\\n|$)`).exec(PAGE) ?? [];
  return [...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
};
const section = (heading: string): string => PAGE.split(/^(?=#{2,4} )/m).find((part) => part.startsWith(`${heading}\n`)) ?? '';

const typeIn = (format: ErrorFormat, code: ErrorCode): string =>
  (JSON.parse(format.body(new ServiceError(code, 'X.'), 'req_1')) as { error: { type: string } }).error.type;
const cell = (format: ErrorFormat, code: ErrorCode): string => `${format.status(new ServiceError(code, ''))} \`${typeIn(format, code)}\``;

/** Codes that no client of the inference API can see: those of other doors, and that of a client who has left. */
const UNSEEN: readonly ErrorCode[] = [
  ...(['quota_exceeded', 'account_suspended'] as const),
  ...(['cancelled', 'unavailable', 'source_not_allowed', 'invalid_credentials', 'session_ended', 'not_permitted'] as const),
  ...(['account_not_found', 'key_not_found', 'key_revoked', 'key_expired', 'mcp_key_exists', 'user_not_found'] as const),
  ...(['invitation_not_found', 'session_not_found', 'already_member', 'last_owner', 'account_has_owner'] as const),
  ...(['deployment_not_found', 'deployment_not_stopped', 'slug_taken', 'alias_taken'] as const),
  ...(['alias_not_found', 'deployment_not_ready', 'rollout_not_found', 'rollout_in_progress'] as const),
  ...(['name_taken', 'dataset_not_found', 'dataset_not_ready', 'dataset_changed', 'dataset_in_use'] as const),
  ...(['upload_not_found', 'upload_conflict', 'blob_not_found', 'base_not_found', 'base_not_trainable'] as const),
  ...(['job_not_found', 'job_finished', 'adapter_not_found', 'adapter_in_use', 'gate_not_passed'] as const),
  ...(['suite_not_found', 'evaluation_not_found', 'evaluation_finished', 'evaluation_running'] as const),
  ...(['attempt_superseded', 'no_disk', 'trainer_unavailable'] as const),
];

describe('the table of errors', () => {
  it('has every code with its statuses and its advice, as it is in the code', () => {
    const rows = PUBLIC_ERROR_CODES.map(
      (code) =>
        `| \`${code}\` | ${cell(chatErrors, code)} | ${cell(messagesErrors, code)} | ${ERRORS[code].retry} | ${PUBLIC_ERRORS[code]} |`,
    );
    expect(tableOf('errors')).toEqual(rows);
  });

  it('leaves out only what no client of the inference API can see', () => {
    const all = (Object.keys(ERRORS) as ErrorCode[]).toSorted();
    expect([...PUBLIC_ERROR_CODES, ...UNSEEN].toSorted()).toEqual(all);
  });
});

describe('the table of engines', () => {
  const can = (facts: { can: boolean }): readonly string[] =>
    capabilitiesOf({
      format: {
        family: facts.can ? {} : null,
        facts: { canContinue: facts.can, steersReasoning: facts.can, ownTemplate: facts.can },
      },
    } as unknown as ReadyModel);
  const [always, atMost] = [can({ can: false }), can({ can: true })];
  const llama = (word: string): string => {
    if (always.includes(word)) return 'yes';
    return atMost.includes(word) ? 'template' : '–';
  };
  const http = (flavour: UpstreamFlavour, word: string): string =>
    (FLAVOURS[flavour].caps as readonly string[]).includes(word) ? 'yes' : '–';
  const columns = ['vllm', 'sglang', 'llama-server', 'ollama', 'other'] as const;

  it('has what each engine says of itself', () => {
    const rows = tableOf('engines').map((row) =>
      row
        .split('|')
        .map((text) => text.trim())
        .slice(1, -1),
    );
    // Answers report their own counts; the reference documents them with count_tokens.
    const words = CAPABILITIES.filter((word) => word !== 'exact_count');
    const expected = words.map((word) => [`\`${word}\``, llama(word), ...columns.map((flavour) => http(flavour, word))]);
    expect(rows.map(([word, , ...cells]) => [word, ...cells])).toEqual(expected);
  });
});

const deployment = {
  facts: { id: 1, context: 4096, caps: [] as string[] },
  slug: 'deployment-1',
  isNamed: () => true,
} as unknown as ResolvedDeployment;
const messages = [{ role: 'user', content: 'Hello' }];
const READERS = {
  chat: (fields: object) => readChatRequest({ model: 'x', messages, ...fields }, deployment, { imageHosts: [] }),
  messages: (fields: object) => readMessagesRequest({ model: 'x', max_tokens: 5, messages, ...fields }, deployment, { imageHosts: [] }),
  responses: (fields: object) => readResponsesRequest({ model: 'x', input: 'Hello', ...fields }, deployment, { imageHosts: [] }),
} satisfies Record<string, (fields: object) => SurfaceRequest>;
const CONTRACTS = ['chat', 'messages', 'responses'] as const;
const SCHEMAS = { chat: 'ChatCompletionRequest', messages: 'MessageRequest', responses: 'ResponseRequest' };
const HEADINGS = { chat: '### Request', messages: '### Messages: request', responses: '### Responses: request' };
/** Values of every type; a field takes those of its own. */
const VALUES: readonly unknown[] = ['x', true, 5, { a: 'b' }, ['x']];

function outcome(read: () => SurfaceRequest): SurfaceRequest | ServiceError {
  try {
    return read();
  } catch (error) {
    if (isServiceError(error)) return error;
    throw error;
  }
}

describe.each(CONTRACTS)('the fields of %s', (contract) => {
  const read = READERS[contract];
  const plain = read({});

  it.each(namesBehind(`ignored: ${contract}`))('%s is accepted and changes nothing', (name) => {
    const outcomes = VALUES.map((value) => outcome(() => read({ [name]: value }))).filter((one) => !isServiceError(one));
    expect(outcomes.length).toBeGreaterThan(0);
    for (const one of outcomes) expect(one).toEqual(plain);
  });

  it.each(namesBehind(`refused: ${contract}`))('%s is refused by its name', (name) => {
    expect(outcome(() => read({ [name]: { a: 'b' } }))).toMatchObject({ code: 'unsupported_parameter', param: name });
  });

  it('are all on the page', () => {
    const { components } = openApiDocument(SURFACES.all, 'http://x') as { components: { schemas: Record<string, { properties: object }> } };
    const text = section(HEADINGS[contract]);
    for (const name of Object.keys(components.schemas[SCHEMAS[contract]]!.properties)) expect(text).toContain(`\`${name}\``);
  });

  it('are ignored where the page does not name them', () => {
    expect(read({ n_predict: -1, cache_salt: 'x', inference_geo: 'eu' })).toEqual(plain);
  });
});

/** A schema with each keyword that is listed, by its name. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  ...{
    type: ['string', 'null'],
    enum: ['a'],
    const: 'a',
    nullable: true,
    $ref: '#',
    anyOf: [{ type: 'string' }],
    oneOf: [{ type: 'string' }],
    allOf: [{ type: 'string' }],
  },
  ...{ properties: { a: { type: 'string' } }, required: [], additionalProperties: { type: 'string' } },
  ...{ items: { type: 'string' }, prefixItems: [{ type: 'string' }], minItems: 1, maxItems: 2 },
  ...{ minLength: 1, maxLength: 2, pattern: 'a', format: 'date' },
  ...{ minimum: 1, maximum: 2, exclusiveMinimum: 1, exclusiveMaximum: 2, multipleOf: 2 },
  ...{ patternProperties: { '^a': { type: 'string' } }, propertyNames: { enum: ['a', 'b'] }, minProperties: 1, maxProperties: 3 },
  ...{ dependentRequired: { a: ['b'] }, dependentSchemas: { a: {} }, dependencies: { a: ['b'] } },
  ...{ unevaluatedProperties: false, unevaluatedItems: false, additionalItems: false },
  // With what they need beside them to say anything.
  $dynamicRef: '#',
  $recursiveRef: '#',
  uniqueItems: true,
};
const BESIDE: Readonly<Record<string, object>> = { uniqueItems: { items: { enum: ['a', 'b'] }, maxItems: 2 } };
/** Keywords that a grammar never holds. */
const NEVER_HELD: Readonly<Record<string, unknown>> = {
  not: { const: 'a' },
  if: { type: 'string' },
  contains: {},
  minContains: 1,
  maxContains: 2,
};

describe('the table of JSON schema keywords', () => {
  const rows = [...section('### JSON schemas on llama.cpp').matchAll(/^\| (?!for|---)([^|]+) \| (.*) \| (.*) \|$/gm)];
  const wordsIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word!);
  const asserting = rows.filter(([, what]) => what !== 'without effect');
  const formats = ['date', 'time', 'date-time', 'uuid', 'ipv4', 'email'];
  const held = asserting
    .flatMap(([, , cell]) => wordsIn(cell!))
    .filter((word) => !formats.includes(word) && word !== '$id' && word !== 'format');
  const leftOut = (schema: object): readonly string[] => jsonSchemaRules(schema, 'x-').leftOut;
  const withSample = (word: string): object => {
    if (/Ref$|^\$ref$/.test(word)) return { type: 'array', items: { [word]: '#' } };
    return { [word]: SAMPLES[word] ?? `no sample of ${word}`, ...BESIDE[word] };
  };

  it.each(held)('%s is held', (word) => {
    expect(leftOut(withSample(word))).toEqual([]);
  });

  it.each(formats)('the format %s is held', (format) => {
    expect(asserting.flatMap(([, , cell]) => wordsIn(cell!))).toContain(format);
    expect(leftOut({ type: 'string', format })).toEqual([]);
  });

  it.each(Object.keys(NEVER_HELD))('%s is left out, by its name', (word) => {
    expect(asserting.flatMap(([, , , cell]) => wordsIn(cell!))).toContain(word);
    const beside = word.endsWith('Contains') ? { contains: {} } : { else: { minItems: 1 } };
    expect(leftOut({ type: ['string', 'array'], ...beside, [word]: NEVER_HELD[word] }).join(' ')).toContain(word);
  });

  it.each(['title', 'description', 'default', 'examples', 'discriminator', 'deprecated', 'readOnly', '$comment', 'x-own'])(
    '%s is without effect',
    (word) => {
      expect(leftOut({ type: 'string', [word]: word === 'examples' ? ['a'] : 'a' })).toEqual([]);
    },
  );
});
