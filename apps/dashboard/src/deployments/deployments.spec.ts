import { ENGINE_KINDS, type EngineKindFacts, ERRORS, type ModelSource, ObservedState, StateReason } from '@slipway/contracts';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actionsOf, isPassing, lookAgainAfter, rollbackRev } from './deployment-actions.js';
import { type DeploymentDraft, EMPTY_DRAFT, engineFields, enginesOf, faultsOf, requestOf } from './deployment-draft.js';
import { idOf, targetOf } from './inference-target.js';
import { replicasText, slotsText } from './slots-text.js';
import { SourceFields } from './source-fields.js';
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

describe('slots', () => {
  const size = { slots: 4, replicas: 2, ready_replicas: 1, rev: 2, serving_rev: 2 };

  it('are those of the replicas that answer, of all that are wanted', () => {
    expect([slotsText(size), replicasText(size)]).toEqual(['4 of 8', '1 of 2 replicas']);
    const lone = { ...size, replicas: 1, ready_replicas: 0, serving_rev: null };
    expect([slotsText(lone), replicasText(lone)]).toEqual(['0 of 4', null]);
  });

  it('are as configured where nobody knows how many the revision that serves has', () => {
    expect(slotsText({ ...size, serving_rev: 1 })).toBe('8');
    expect(slotsText({ ...size, serving_rev: 1, ready_replicas: 0 })).toBe('0 of 8');
  });

  it('are not known from a service of before they were told', () => {
    expect(slotsText({ replicas: 2, ready_replicas: 1, rev: 1 })).toBe('–');
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

describe('a deployment that somebody fills in', () => {
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

  it.each([
    [{ name: ' ', kind: 'file', path: 'x' }, 'name'],
    [{ kind: 'file', path: '' }, 'path'],
    [{ kind: 'download', uri: 'http://plain.example/x.gguf' }, 'uri'],
    [{ kind: 'download', uri: 'hf:user' }, 'uri'],
    [{ kind: 'http', url: 'ftp://x', model: 'm' }, 'url'],
    [{ kind: 'http', url: 'http://x', model: '' }, 'model'],
    [{ kind: 'file', path: 'x', context: '12' }, 'context'],
    [{ kind: 'file', path: 'x', slots: 'many' }, 'slots'],
    [{ kind: 'file', path: 'x', replicas: '65' }, 'replicas'],
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
  const shown = (of: DeploymentDraft): string =>
    renderToStaticMarkup(createElement(SourceFields, { draft: of, faults: {}, onChange: () => undefined }));

  it('is offered with its options', () => {
    expect(enginesOf(draft)).toContain('toy');
    expect(shown(chosen)).toContain('>Toy server</span>');
    expect(shown(draft)).not.toContain('Arguments');
    expect(shown(chosen)).toContain('--a\n\nb c</textarea>');
    expect(enginesOf({ kind: 'http', known: null })).toEqual(['http']);
  });

  it('goes into the request and comes back', () => {
    const source: ModelSource = { kind: 'file', path: '/m.gguf', engine: { kind: 'toy', options: { args: ['--a', 'b c'] } } };
    expect(requestOf(chosen).source).toEqual(source);
    expect(requestOf(draft).source).toEqual({ kind: 'file', path: '/m.gguf' });
    expect(requestOf({ ...draft, ...engineFields(source) }).source).toEqual(source);
  });
});
