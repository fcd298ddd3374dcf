import { ENGINE_KINDS, type EngineKindFacts, ERRORS, type ModelSource, ObservedState, StateReason } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actionsOf, isPassing, lookAgainAfter, rollbackRev } from './deployment-actions.js';
import {
  type DeploymentDraft,
  draftOfSource,
  EMPTY_DRAFT,
  enginesOf,
  faultsOf,
  fieldOfParam,
  requestOf,
  STEP_OF,
} from './deployment-draft.js';
import { idOf, targetOf } from './inference-target.js';
import { settingsChange } from './settings-draft.js';
import { REASONS, STATES } from './state-words.js';

const facts = (state: ObservedState, rest: Partial<Parameters<typeof actionsOf>[0]> = {}): Parameters<typeof actionsOf>[0] => ({
  state,
  desired: ['stopping', 'stopped'].includes(state) ? 'stopped' : 'ready',
  reason: state === 'failed' ? 'model_missing' : null,
  rev: 1,
  serving_rev: 1,
  ...rest,
});

describe('what may be done with a deployment', () => {
  it.each([
    ['pending', ['stop']],
    ['loading', ['stop']],
    ['ready', ['stop']],
    ['stopping', []],
    ['stopped', ['resume', 'delete']],
    ['failed', ['retry', 'stop', 'delete']],
    ['deleting', []],
  ] as const)('while it is %s', (state, actions) => {
    expect(actionsOf(facts(state))).toEqual(actions);
  });

  it('offers the way back only while an older revision serves', () => {
    expect(actionsOf(facts('degraded', { rev: 3, serving_rev: 2 }))).toEqual(['roll_back', 'stop']);
    expect(actionsOf(facts('degraded'))).toEqual(['stop']);
    expect(rollbackRev({ rev: 3, serving_rev: null })).toBeNull();
  });

  it('offers another try where something failed, and none where room is missing', () => {
    expect(actionsOf(facts('failed', { rev: 3, serving_rev: 2 }))).toEqual(['retry', 'roll_back', 'stop', 'delete']);
    expect(actionsOf(facts('degraded', { reason: 'engine_crashed' }))).toEqual(['retry', 'stop']);
    expect(actionsOf(facts('degraded', { reason: 'no_capacity' }))).toEqual(['stop']);
  });

  it('offers no deletion of what may still answer', () => {
    for (const state of ObservedState.options.filter((one) => !['stopped', 'failed'].includes(one))) {
      expect(actionsOf(facts(state)), state).not.toContain('delete');
    }
  });

  it('is looked at more often while it changes', () => {
    expect(lookAgainAfter([facts('ready'), facts('loading')])).toBe(2_000);
    expect(lookAgainAfter([facts('ready'), facts('stopped')])).toBe(5_000);
    expect(isPassing(facts('ready', { rev: 2, serving_rev: 1 }))).toBe(true);
  });
});

describe('words', () => {
  it('exist for every state and every reason', () => {
    expect(Object.keys(STATES).toSorted()).toEqual(ObservedState.options.toSorted());
    expect(Object.keys(REASONS).toSorted()).toEqual(StateReason.options.toSorted());
  });

  it('name the status that callers really get', () => {
    expect(STATES.stopped.meaning).toContain(String(ERRORS.deployment_stopped.status));
    expect(STATES.pending.meaning).toContain(String(ERRORS.deployment_unavailable.status));
  });
});

describe('addresses', () => {
  it('use an alias where there is one', () => {
    const deployment = { id: 7, aliases: ['chat', 'old'] } as unknown as Parameters<typeof targetOf>[2];
    expect(targetOf('https://g', 'acme', deployment)).toEqual({ gateway: 'https://g', path: 'acme/chat', model: 'chat' });
    expect(targetOf('https://g', 'acme', deployment, null)).toMatchObject({ path: 'deployment-7', model: 'deployment-7' });
  });

  it.each(['deployment-0', 'deployment-01', 'deployment-', 'Deployment-1', 'deployment-1x', 'x'])('%s is no slug', (slug) => {
    expect(idOf(slug)).toBeNull();
  });
});

describe('a deployment that is being filled in', () => {
  const draft = (rest: Partial<DeploymentDraft>): DeploymentDraft => ({ ...EMPTY_DRAFT, name: 'Chat', ...rest });

  it('is asked for with what was filled in, and with nothing else', () => {
    expect(requestOf(draft({ kind: 'file', path: ' /models/a.gguf ' }))).toEqual({
      name: 'Chat',
      source: { kind: 'file', path: '/models/a.gguf' },
    });
    expect(
      requestOf(
        draft({
          kind: 'http',
          url: 'http://127.0.0.1:8000',
          model: 'qwen3',
          credential: 'secret',
          context: '4096',
          slots: '2',
          replicas: '3',
          defaultMaxTokens: '512',
        }),
      ),
    ).toEqual({
      name: 'Chat',
      source: { kind: 'http', url: 'http://127.0.0.1:8000', model: 'qwen3' },
      credential: 'secret',
      context: 4096,
      slots: 2,
      replicas: 3,
      default_max_tokens: 512,
    });
  });

  it('stores responses only where that is asked for', () => {
    const file = draft({ kind: 'file', path: '/m.gguf' });
    expect(requestOf(file)).not.toHaveProperty('store_responses');
    expect(requestOf({ ...file, storeResponses: true })).toMatchObject({ store_responses: true });
    const switched = settingsChange(7, 3, file, { ...file, storeResponses: true });
    expect(switched).toEqual({ isRevision: false, scale: null, update: { deployment: 7, expected_rev: 3, store_responses: true } });
    expect(settingsChange(7, 3, { ...file, storeResponses: true }, file).update).toMatchObject({ store_responses: false });
  });

  it.each([
    [{ name: ' ', kind: 'file', path: 'x' }, 'name'],
    [{ kind: 'file', path: '' }, 'path'],
    [{ kind: 'download', uri: 'http://plain.example/x.gguf' }, 'uri'],
    [{ kind: 'download', uri: 'hf:user' }, 'uri'],
    [{ kind: 'download', uri: 'hf:user/repo/x.gguf', sha256: 'abc' }, 'sha256'],
    [{ kind: 'http', url: 'ftp://x', model: 'm' }, 'url'],
    [{ kind: 'http', url: 'http://x', model: '' }, 'model'],
    [{ kind: 'file', path: 'x', context: '12' }, 'context'],
    [{ kind: 'file', path: 'x', slots: 'many' }, 'slots'],
    [{ kind: 'file', path: 'x', replicas: '65' }, 'replicas'],
    [{ kind: 'file', path: 'x', replicas: '3', maxReplicas: '2' }, 'maxReplicas'],
    [{ kind: 'file', path: 'x', maxReplicas: '2', targetPercent: '5' }, 'targetPercent'],
    [{ kind: 'file', path: 'x', alias: 'Not An Alias' }, 'alias'],
    [{ kind: 'file', path: 'x', alias: 'deployment-3' }, 'alias'],
  ] as const)('says which field is wrong: %j', (rest, field) => {
    expect(Object.keys(faultsOf(draft(rest)))).toEqual([field]);
  });
});

describe('a kind of engine that is put into the table', () => {
  const table = ENGINE_KINDS as Record<string, EngineKindFacts>;
  const args = { label: 'Arguments', hint: 'One a line.', form: 'list', chars: 100, items: 9 } as const;
  beforeAll(() => void (table['toy'] = { ...ENGINE_KINDS.llama, title: 'Toy server', options: { args } }));
  afterAll(() => void delete table['toy']);

  const draft: DeploymentDraft = { ...EMPTY_DRAFT, name: 'Chat', kind: 'file', path: '/m.gguf' };
  const chosen: DeploymentDraft = { ...draft, engine: 'toy', engineOptions: { args: '--a\n\nb c' } };

  it('is offered, and its options are checked', () => {
    expect(enginesOf(draft)).toContain('toy');
    expect(enginesOf({ kind: 'http' })).toEqual(['http']);
    expect(faultsOf({ ...chosen, engineOptions: { args: 'x'.repeat(101) } })).toHaveProperty('engineOptions');
  });

  it('goes into the request and comes back', () => {
    const source: ModelSource = { kind: 'file', path: '/m.gguf', engine: { kind: 'toy', options: { args: ['--a', 'b c'] } } };
    expect(requestOf(chosen).source).toEqual(source);
    expect(requestOf(draft).source).toEqual({ kind: 'file', path: '/m.gguf' });
    expect(requestOf({ ...draft, ...draftOfSource(source) }).source).toEqual(source);
  });
});

describe('an error of the services', () => {
  it.each([
    ['source.path', 'path', 'model'],
    ['path', 'path', 'model'],
    ['source.engine.options.gpu_layers', 'engineOptions', 'model'],
    ['default_max_tokens', 'defaultMaxTokens', 'size'],
    ['replicas', 'replicas', 'size'],
    ['replicas.max', 'maxReplicas', 'size'],
    ['alias', 'alias', 'name'],
  ] as const)('about %s leads to its field and step', (param, field, step) => {
    expect(fieldOfParam(param)).toBe(field);
    expect(STEP_OF[field]).toBe(step);
  });

  it('about nothing on the page leads nowhere', () => {
    expect([null, 'account', 'constructor'].map(fieldOfParam)).toEqual([null, null, null]);
  });
});
