import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Assignment } from '../deployments/assignments.js';
import { CreateDeployment, UpdateDeployment } from '../deployments/deployment-commands.js';
import { ModelSource } from '../deployments/model-source.js';
import { ENGINE_KINDS, type EngineKindFacts, engineKindOf, engineOf, enginesFor, ggufMemory } from './engine-kinds.js';
import { deploymentNameFor, fileSource, modelNameOf, sourceText, withQuery } from './sources.js';

const GIB = 2 ** 30;
const file = { kind: 'file', path: '/models/llama-3.Q4_K_M.gguf' } as const;
const http = { kind: 'http', url: 'http://h:8000/v1', model: 'org/qwen3' } as const;

describe('the memory of a GGUF model', () => {
  it.each([
    ['weights and a fifth, and the cache of all slots', { fileBytes: 4 * GIB, context: 8_192, slots: 4 }, 4.8 * GIB + 4 * GIB],
    ['the assumed context where none is named', { fileBytes: 4 * GIB, context: null, slots: 1 }, 4.8 * GIB + 0.5 * GIB],
    ['at least 4 KiB a token for tiny models', { fileBytes: 1_000, context: 1_024, slots: 2 }, 1_200 + 8 * 2 ** 20],
    [
      'texts of embeddings by their width, without a cache',
      { fileBytes: GIB, context: 8_192, slots: 2, embeds: { width: 384, context: 512, cacheBytes: 0 } },
      1.2 * GIB + 2 * 512 * 384 * 40,
    ],
    [
      'the cache of a model that makes embeddings token by token',
      { fileBytes: GIB, context: 1_024, slots: 1, embeds: { width: 1_024, context: 32_768, cacheBytes: 114_688 } },
      1.2 * GIB + 1_024 * (40_960 + 114_688),
    ],
  ])('counts %s', (_, size, expected) => {
    expect(ggufMemory(size)).toBe(Math.ceil(expected));
  });
});

describe('a source', () => {
  it.each<[ModelSource, string, string]>([
    [file, 'llama-3.Q4_K_M.gguf', 'llama-3.Q4_K_M'],
    [{ kind: 'file', path: '/m/Qwen.GGUF' }, 'Qwen.GGUF', 'Qwen'],
    [{ kind: 'download', uri: 'https://h/a/b.gguf?download=true' }, 'b.gguf', 'b'],
    [{ kind: 'download', uri: 'https://h/.gguf' }, '.gguf', 'model'],
    [{ kind: 'download', uri: 'hf:user/repo/c.gguf#main' }, 'c.gguf', 'c'],
    [http, 'org/qwen3', 'org/qwen3'],
  ])('%o is named after its model', (source, name, deployment) => {
    expect([modelNameOf(source), deploymentNameFor(source)]).toEqual([name, deployment]);
  });

  it('is described in one line', () => {
    expect(sourceText(http)).toBe('org/qwen3 at http://h:8000/v1');
    expect(sourceText({ ...file, engine: { kind: 'llama' } })).toBe(`${file.path}, loaded by llama.cpp`);
    expect(sourceText({ ...file, engine: { kind: 'newer' } })).toBe(`${file.path}, loaded by newer`);
  });

  it('takes a query only as a download', () => {
    expect(withQuery({ kind: 'download', uri: 'https://h/a' }, '?t=1')).toEqual({ kind: 'download', uri: 'https://h/a?t=1' });
    expect([withQuery(file, '?t=1'), withQuery(http, '?t=1')]).toEqual([null, null]);
  });

  it('has the default engine unless it names one', () => {
    expect([engineKindOf(file), engineKindOf(http), engineKindOf({ ...file, engine: { kind: 'newer' } })]).toEqual([
      'llama',
      'http',
      'newer',
    ]);
    expect([engineOf(http), engineOf({ ...file, engine: { kind: 'newer' } })]).toEqual([ENGINE_KINDS.http, ENGINE_KINDS.llama]);
  });
});

describe('a kind of engine that is put into the table', () => {
  const table = ENGINE_KINDS as Record<string, EngineKindFacts>;
  const toy: EngineKindFacts = {
    title: 'Toy server',
    sources: ['file', 'download'],
    options: {
      args: { label: 'Arguments', hint: 'One a line.', form: 'list', chars: 10, items: 2 },
      template: { label: 'Template', hint: 'Its name.', form: 'text', chars: 10, items: 1 },
      level: { label: 'Level', hint: '1 or 2.', form: 'text', chars: 10, items: 1, pattern: '1|2' },
    },
    memoryNeed: ggufMemory,
    process: 'runner',
    replicas: 1,
    scalesItself: false,
    slots: null,
    adapters: null,
  };
  beforeAll(() => void (table['toy'] = toy));
  afterAll(() => void delete table['toy']);

  const requested = (engine: object, source: object = file): ReturnType<typeof CreateDeployment.request.safeParse> =>
    CreateDeployment.request.safeParse({ account: 1, name: 'd', source: { ...source, engine } });

  it('is taken with its options by every message', () => {
    const engine = { kind: 'toy', options: { args: ['--a', 'b'], template: 'x' } };
    const source = { ...file, engine };
    expect(requested(engine).data?.source).toEqual(source);
    expect(UpdateDeployment.request.parse({ account: 1, deployment: 7, source }).source).toEqual(source);
    const item = { dep: 7, rev: 1, source, context: null, slots: 4, threads: 1, default_max_tokens: null };
    expect(Assignment.message.parse({ term: 1, items: [item] }).items).toEqual([item]);
    expect(fileSource(source, '/cache/m')).toEqual({ kind: 'file', path: '/cache/m', engine });
  });

  it('is known by its facts and its title', () => {
    const source = { ...file, engine: { kind: 'toy' } };
    expect([engineKindOf(source), engineOf(source)]).toEqual(['toy', toy]);
    expect(enginesFor('file')).toEqual(['llama', 'llama-server', 'toy']);
    expect(sourceText(source)).toBe(`${file.path}, loaded by Toy server`);
  });

  it.each([
    [{ kind: 'toy', options: { nothing: 'x' } }, 'source.engine.options.nothing', 'The engine toy has no option of this name.'],
    [{ kind: 'toy', options: { toString: 'x' } }, 'source.engine.options.toString', 'The engine toy has no option of this name.'],
    [{ kind: 'toy', options: { args: 'x' } }, 'source.engine.options.args', 'This option is a list of texts.'],
    [{ kind: 'toy', options: { template: ['x'] } }, 'source.engine.options.template', 'This option is one text.'],
    [{ kind: 'toy', options: { args: ['a', 'b', 'c'] } }, 'source.engine.options.args', 'This option has at most 2 texts.'],
    [
      { kind: 'toy', options: { template: 'x'.repeat(11) } },
      'source.engine.options.template',
      'A text of this option has at most 10 characters.',
    ],
    [{ kind: 'toy', options: { level: '12' } }, 'source.engine.options.level', 'This option does not take this value.'],
    [{ kind: 'other' }, 'source.engine.kind', 'The engines that load this source are llama, llama-server, toy.'],
    [{ kind: 'http' }, 'source.engine.kind', 'The engines that load this source are llama, llama-server, toy.'],
    [{ kind: 'toString' }, 'source.engine.kind', 'The engines that load this source are llama, llama-server, toy.'],
  ])('%o is refused with its field', (engine, path, message) => {
    const { error } = requested(engine);
    const issue = error?.issues[0];
    expect([issue?.path.join('.'), engine.kind === 'toString' ? message : issue?.message]).toEqual([path, message]);
  });

  it('loads none but its own sources', () => {
    expect(requested({ kind: 'toy' }, http).error?.issues[0]?.message).toBe('The engines that load this source are http.');
  });
});

describe('a kind of engine that is in no table', () => {
  const source = { ...file, engine: { kind: 'toy', options: { args: ['x'] } } };

  it('is refused in a request and kept in what is handed on', () => {
    expect(CreateDeployment.request.safeParse({ account: 1, name: 'd', source }).success).toBe(false);
    expect(ModelSource.parse(source)).toEqual(source);
  });
});
