import { DEPLOYMENT_EVENT_KINDS, type DeploymentEvent, type DeploymentView, type RevisionView } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { speedOf } from '../requests/request.screen.js';
import { isRequestId, requestIdIn } from '../requests/request-id.js';
import { draftOfRevision, faultsOf, replicasIn, requestOf } from './deployment-draft.js';
import { eventActor, eventWords } from './event-words.js';
import { clockOf, grown, levelOf, LINES_MAX, type LogLine, savedLine } from './log-lines.js';
import { outcomeSeries, percentileSeries, revisionMarks, tokenSeries } from './metric-series.js';
import { draftOfReplicas, readyWords, replicasWords } from './replicas-draft.js';
import { changedSettings, revisionDiff, revisionState } from './revision-diff.js';
import { settingsChange } from './settings-draft.js';
import { logQuestion } from './use-log.js';

const AT = '2026-11-25T10:00:00.000Z';

const event = (rest: Partial<DeploymentEvent>): DeploymentEvent => ({
  ...{ id: 1, deployment: 1 as DeploymentEvent['deployment'], at: AT, first_at: AT, count: 1, kind: 'state', state: null, reason: null },
  ...{ detail: null, rev: null, ready_replicas: null, by: null, facts: {}, ...rest },
});

describe('an event', () => {
  it('of every kind has words', () => {
    for (const kind of DEPLOYMENT_EVENT_KINDS) expect(eventWords(event({ kind })).text, kind).not.toBe('');
    expect(eventWords(event({ kind: 'canary.begin' })).text).toBe('canary begin');
  });

  it('that was repeated is one with its number and the engine’s words', () => {
    const failed = event({ state: 'failed', reason: 'model_invalid', detail: 'no GGUF', rev: 2, count: 7 });
    expect(eventWords(failed)).toMatchObject({ look: 'bad', text: 'Failed: revision 2, 7 times', detail: 'no GGUF' });
    expect(eventWords({ ...failed, detail: null }).detail).toContain('damaged');
  });

  it('of an update says what differs, and a new name is no revision', () => {
    const update = event({ kind: 'deployment.update', rev: 3, facts: { rev: 3, slots: '4 → 8', context: 'default → 8192' } });
    expect(eventWords(update)).toMatchObject({ text: 'Revision 3 created', detail: 'Context: default → 8192 · Slots: 4 → 8' });
    expect(eventWords(event({ ...update, facts: { rev: 3, name: 'a → b' } })).text).toBe('Renamed');
    const stores = event({ ...update, facts: { rev: 3, store_responses: 'off → on' } });
    expect(eventWords(stores)).toMatchObject({ text: 'Settings changed', detail: 'Stored responses: off → on' });
  });

  it('of an alias says whether it came or went', () => {
    const of = (deployment: string) => eventWords(event({ kind: 'alias.point', facts: { alias: 'chat', deployment } }));
    expect(of('deployment-1')).toMatchObject({ text: 'Alias chat points here', detail: null });
    expect(of('deployment-2 → deployment-1')).toMatchObject({ text: 'Alias chat points here', detail: 'Before: deployment-2' });
    expect(of('deployment-1 → deployment-2')).toMatchObject({ text: 'Alias chat moved to deployment-2', detail: null });
  });

  it('names who did it, and no one for what happened by itself', () => {
    const nameOf = (user: number) => (user === 1 ? 'Ada' : undefined);
    const by = { actor: 'user', actor_id: 1, actor_name: null } as const;
    expect(eventActor({ by }, nameOf)).toBe('Ada');
    expect(eventActor({ by: { ...by, actor_id: 2 } }, nameOf)).toBe('A former member');
    expect(eventActor({ by: { actor: 'ops', actor_id: null, actor_name: null } }, nameOf)).toBe('Operator');
    expect(eventActor({ by: null }, nameOf)).toBeUndefined();
  });
});

const revision = (rest: Partial<RevisionView>): RevisionView => ({
  ...{ rev: 1, source: { kind: 'file', path: '/m.gguf' }, credential: false, context: null, slots: 4, threads: null },
  ...{ default_max_tokens: null, created_at: AT, ...rest },
});

describe('two revisions', () => {
  it('differ in the settings that differ, which come first', () => {
    const lines = revisionDiff(revision({}), revision({ rev: 2, slots: 8, source: { kind: 'http', url: 'http://h', model: 'q' } }));
    expect(lines.filter(({ isChanged }) => isChanged).map(({ setting, before, after }) => [setting, before, after])).toEqual([
      ['Model', '/m.gguf', 'q at http://h'],
      ['Engine', 'llama.cpp', 'HTTP engine (vLLM, SGLang, llama-server, Ollama)'],
      ['Slots', '4', '8'],
    ]);
    expect(lines[0]?.isChanged).toBe(true);
    expect(changedSettings(revision({}), revision({ rev: 2, credential: true }))).toEqual(['Engine credential']);
  });

  it('have the states that the deployment gives them', () => {
    const of = (rev: number, state: 'ready' | 'degraded' | 'stopped' | 'loading', progress: number | null = null) =>
      revisionState(rev, { rev: 3, serving_rev: 2, state, progress }).text;
    expect([of(1, 'ready'), of(2, 'ready'), of(3, 'ready', 0.4), of(3, 'degraded'), of(2, 'stopped')]).toEqual([
      'Replaced',
      'Serving',
      'Loading',
      'Failed',
      'Stopped',
    ]);
  });
});

describe('settings that are changed', () => {
  const before = { ...draftOfRevision(revision({ context: 4_096 })), name: 'Chat', replicas: '1' };

  it('ask for nothing where nothing differs', () => {
    expect(settingsChange(1, 2, before, before)).toEqual({ update: null, scale: null, isRevision: false });
  });

  it('make a revision of model and size alone', () => {
    expect(settingsChange(1, 2, before, { ...before, name: 'New', note: 'why' })).toEqual({
      update: { deployment: 1, expected_rev: 2, name: 'New' },
      scale: null,
      isRevision: false,
    });
    expect(settingsChange(1, 2, before, { ...before, context: '', replicas: '3', note: 'why' })).toEqual({
      update: { deployment: 1, expected_rev: 2, context: null, note: 'why' },
      scale: { deployment: 1, replicas: 3 },
      isRevision: true,
    });
  });
});

describe('replicas that follow the load', () => {
  const view = { replicas: 2, ready_replicas: 2, replica_range: { min: 1, max: 4, target_percent: 70 } } as DeploymentView;
  const base = { ...draftOfRevision(revision({})), name: 'Chat' };
  const grows = { ...base, ...draftOfReplicas(view) };
  const fixed = { ...base, ...draftOfReplicas({ replicas: 2, replica_range: null }) };

  it('are a range in requests', () => {
    expect(requestOf(grows).replicas).toEqual({ min: 1, max: 4, target_percent: 70 });
    expect(requestOf({ ...grows, replicas: '', targetPercent: '' }).replicas).toEqual({ min: 1, max: 4, target_percent: 70 });
    expect(requestOf({ ...grows, maxReplicas: '' }).replicas).toBe(1);
  });

  it('are changed where they differ', () => {
    expect(settingsChange(1, 2, grows, grows).scale).toBeNull();
    expect(settingsChange(1, 2, grows, fixed).scale).toEqual({ deployment: 1, replicas: 2 });
    expect(settingsChange(1, 2, fixed, { ...fixed, maxReplicas: '5' }).scale).toEqual({
      deployment: 1,
      replicas: { min: 2, max: 5, target_percent: 70 },
    });
  });

  it('are shown with their range', () => {
    expect(readyWords(view)).toBe('2 of 1–4 ready, target 70 %');
    expect(readyWords({ ...view, replica_range: null })).toBe('2 of 2 ready');
    expect(replicasWords(replicasIn(grows))).toBe('1–4, target 70 %');
    expect(replicasWords(replicasIn(fixed))).toBe('2');
    const scaled = eventWords(event({ kind: 'autoscale', facts: { before: 1, replicas: 2, requests: 7 } }));
    expect(scaled).toMatchObject({ text: 'Grew to 2 replicas by its load, 1 before', detail: '7 requests at once' });
    const asked = eventWords(event({ kind: 'deployment.scale', facts: { replicas: 1, min: 1, max: 4, target_percent: 70 } }));
    expect(asked.text).toBe('Scales from 1 to 4 replicas by its load');
  });
});

describe('an adapter in the settings', () => {
  const served = { id: 5, name: 'support', version: 2, sha256: 'a'.repeat(64) } as RevisionView['adapter'];
  const before = { ...draftOfRevision({ ...revision({}), adapter: served }), name: 'Chat', replicas: '1' };
  const change = (draft: Partial<typeof before>): unknown => settingsChange(1, 2, before, { ...before, ...draft }).update;

  it('makes a revision where another version is chosen, and names no source', () => {
    expect(change({})).toBeNull();
    expect(change({ adapter: '6' })).toEqual({ deployment: 1, expected_rev: 2, adapter: { id: 6 } });
    expect(change({ adapter: '6', override: ' checked ' })).toEqual({
      deployment: 1,
      expected_rev: 2,
      adapter: { id: 6, override: 'checked' },
    });
  });

  it('leaves its base where it is taken away', () => {
    expect(change({ adapter: '' })).toEqual({ deployment: 1, expected_rev: 2, adapter: null });
    expect(change({ adapter: '', path: '/other.gguf' })).toMatchObject({ adapter: null, source: { path: '/other.gguf' } });
  });

  it('is kept in a copy of the deployment', () => {
    expect(requestOf(before)).toMatchObject({ name: 'Chat', adapter: { id: 5 } });
    expect(requestOf(before)).not.toHaveProperty('source');
  });

  it('stands beside its HTTP engine, which may be another one', () => {
    const source = { kind: 'http', url: 'http://gpu-1:8000', model: 'org/base' } as const;
    const there = { ...draftOfRevision({ ...revision({}), source, adapter: served }), name: 'Chat', replicas: '1' };
    const moved = (draft: Partial<typeof there>): unknown => settingsChange(1, 2, there, { ...there, ...draft }).update;
    expect(requestOf(there)).toMatchObject({ source, adapter: { id: 5 } });
    expect(moved({})).toBeNull();
    expect(moved({ adapter: '6' })).toEqual({ deployment: 1, expected_rev: 2, adapter: { id: 6 } });
    const url = 'http://gpu-2:8000';
    expect(moved({ url })).toEqual({ deployment: 1, expected_rev: 2, source: { ...source, url } });
    expect(moved({ adapter: '' })).toEqual({ deployment: 1, expected_rev: 2, adapter: null });
    expect(faultsOf({ ...there, model: '' })).toHaveProperty('model');
  });
});

describe('metrics of a range', () => {
  const from = Date.parse(AT);
  const row = { from: AT, requests: 2, errors: 0, prompt_tokens: 10, cached_tokens: 4, completion_tokens: 5 };

  it('pile outcomes up, the errors on top', () => {
    const rows = [
      { ...row, status: 'engine_error', requests: 1 },
      { ...row, status: 'completed' },
    ];
    expect(outcomeSeries(rows, [from, from + 60_000]).map(({ label, values }) => [label, values])).toEqual([
      ['Completed', [2, 0]],
      ['Engine error', [1, 0]],
    ]);
  });

  it('keep cached input apart, and leave gaps in percentiles', () => {
    expect(tokenSeries([row], [from]).map(({ values }) => values[0])).toEqual([6, 4, 5]);
    const latency = { ttft_ms: { p50: 1, p95: 2, p99: 3 } };
    const series = percentileSeries([{ ...row, latency }], [from, from + 60_000], 'ttft_ms');
    expect(series.map(({ label, values }) => [label, values])).toEqual([
      ['p50', [1, null]],
      ['p95', [2, null]],
      ['p99', [3, null]],
    ]);
  });

  it('mark the revisions of that time', () => {
    const marks = revisionMarks(
      [revision({ rev: 2, note: 'faster' }), revision({ created_at: '2026-01-01T00:00:00Z' })],
      { from, to: from + 1 },
      '/x',
    );
    expect(marks).toEqual([{ at: from, label: 'Revision 2: faster', icon: 'rocket', href: '/x' }]);
  });
});

const line = (rest: Partial<LogLine>): LogLine => ({ at: Date.parse(AT), rev: 1, text: 'loaded', host: 'node-1', ...rest });

describe('a line of a log', () => {
  it('has its level, also where older workers wrote it into the text', () => {
    expect([line({ level: 'error' }), line({ text: 'warn upstream.refused' }), line({ text: 'warning' })].map(levelOf)).toEqual([
      'error',
      'warn',
      'info',
    ]);
  });

  it('is saved with all that is known of it', () => {
    expect(savedLine(line({ level: 'warn', request: 'req_a' as never }))).toBe(`${AT} warn node-1 r1 req_a loaded`);
    expect(clockOf(Date.parse(AT) + 52, 'utc')).toBe('10:00:00.052');
  });

  it('goes once a page holds too many', () => {
    const many = Array.from({ length: LINES_MAX }, (_, no) => line({ text: String(no) }));
    const all = grown(many, [line({ text: 'new' })]);
    expect([all.length, all[0]?.text, all.at(-1)?.text]).toEqual([LINES_MAX, '1', 'new']);
    expect(grown(many, [])).toBe(many);
  });

  it('is asked for with what is searched for alone', () => {
    const search = { q: ' x ', level: 'warn', tail: true, range: '1h', from: null, to: null } as const;
    expect(logQuestion(7, search, 7_200_000)).toMatchObject({ since: 3_600_000, level: 'warn', search: 'x' });
    expect(logQuestion(7, { ...search, q: '', level: 'debug', from: 5, to: 9 }, 0)).toEqual({
      deployment: 7,
      lines: 2_000,
      since: 5,
      until: 9,
    });
  });
});

describe('the id of a request', () => {
  const ID = '0123456789abcdefghijAB';

  it.each([`req_${ID}`, `chatcmpl-${ID}`, `msg_01${ID}`, ` ${ID} `])('is found in %j', (text) => {
    expect([requestIdIn(text), isRequestId(text)]).toEqual([ID, true]);
  });

  it.each(['', 'chat', 'req_', 'deployment-3', 'req_a b', `${ID}x`])('is not looked for in %j', (text) => {
    expect(isRequestId(text)).toBe(false);
  });

  it('leads to a speed where there are two tokens and a time between', () => {
    expect(speedOf({ completion_tokens: 11, ttft_ms: 100, ms: 1_100 })).toBe(10);
    expect(speedOf({ completion_tokens: 1, ttft_ms: 100, ms: 1_100 })).toBeNull();
    expect(speedOf({ completion_tokens: 9, ttft_ms: null, ms: 5 })).toBeNull();
  });
});
