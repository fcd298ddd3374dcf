import type { WorkerFit } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { found } from './choice-rows.js';
import { errorShare, formatErrorShare, loadText } from './deployment-columns.js';
import { impactText } from './deployment-impact.js';
import { EMPTY_DRAFT } from './deployment-draft.js';
import { expectedLoadMs, fitQuestion, fitText, shares } from './memory-fit.js';
import { type DeploymentDetails, seenContext } from './deployment-details.js';
import { sliderMax } from './size-fields.js';
import { replicasNote } from './state-badge.js';
import { courseHours, coursesOf } from './use-deployment-use.js';

const worker = (rest: Partial<WorkerFit>): WorkerFit => ({
  ...{ agent: 'a' as WorkerFit['agent'], host: 'node-1', cores: 8, gpus: 0, memory_total: 100, memory_free: 60 },
  ...{ memory_needed: 30, fits: true, detail: null, load_ms: null, ...rest },
});

describe('figures of the list', () => {
  it('give errors as a share of requests', () => {
    expect([errorShare({ requests: 0, errors: 0 }), errorShare({ requests: 8, errors: 2 })]).toEqual([null, 0.25]);
    expect([0, 0.0004, 0.012, 0.25].map(formatErrorShare)).toEqual(['0 %', '<0.1 %', '1.2 %', '25 %']);
  });

  it('give the slots in use and what waits', () => {
    expect(loadText({ in_flight: 2, slots: 4, queued: 0 })).toBe('2 / 4');
    expect(loadText({ in_flight: 4, slots: 4, queued: 3 })).toBe('4 / 4 +3');
  });

  it('give replicas where there are several', () => {
    const size = { state: 'ready', progress: null, rev: 1, serving_rev: 1, replicas: 2, ready_replicas: 1 } as const;
    expect([replicasNote(size), replicasNote({ ...size, replicas: 1 }), replicasNote({ ...size, state: 'stopped' })]).toEqual([
      '1/2',
      null,
      null,
    ]);
  });

  it('ask for no more rows than one answer holds', () => {
    expect([1, 166, 500, 9_000].map(courseHours)).toEqual([24, 24, 8, 1]);
  });

  it('put requests into their hours', () => {
    const rows = [
      { deployment: 1 as never, from: '2026-11-25T10:00:00.000Z', requests: 3 },
      { deployment: 1 as never, from: '2026-11-25T12:00:00.000Z', requests: 9 },
    ];
    expect(coursesOf(rows, Date.parse('2026-11-25T10:00:00Z'), 2)).toEqual(new Map([[1, [3, 0]]]));
  });
});

describe('who uses a deployment', () => {
  const row = (deployment: number, key: number, requests: number) => ({ deployment, key, requests }) as never;

  it('is said by requests and keys of the last hour', () => {
    expect(impactText([row(1, 1, 40), row(1, 2, 2), row(2, 3, 5)], [1])).toBe('42 requests in the last hour by 2 keys.');
    expect(impactText([row(2, 3, 5)], [1])).toBe('No requests in the last hour.');
  });
});

describe('the memory of workers', () => {
  it('is said in one sentence', () => {
    const fit = { replicas: 2, placeable: 1, workers: [worker({})], memory_needed: 30 };
    expect(fitText(fit)).toBe('1 of 2 replicas fit now; the others wait for room.');
    expect(fitText({ ...fit, placeable: 2 })).toBe('All 2 replicas fit now.');
    expect(fitText({ ...fit, placeable: 0 })).toContain('No worker has room now');
    expect(fitText({ ...fit, workers: [] })).toContain('No worker is connected');
    expect(fitText({ ...fit, memory_needed: 0 })).toBe('Runs on 1 worker now; more replicas need more workers.');
    expect(fitText({ ...fit, placeable: null })).toContain('not known yet');
  });

  it('is divided into what is used, needed and too much', () => {
    expect(shares(worker({}))).toEqual({ used: 0.4, needed: 0.3, over: 0 });
    const { needed, over } = shares(worker({ memory_needed: 80 }));
    expect([needed, Math.round(over * 100)]).toEqual([0.6, 20]);
    expect(shares(worker({ memory_needed: null, memory_total: null }))).toEqual({ used: 0, needed: 0, over: 0 });
  });

  it('shows the longest load of before', () => {
    expect(expectedLoadMs({ workers: [worker({ load_ms: 3 }), worker({ load_ms: 9 }), worker({ load_ms: 50, fits: false })] })).toBe(9);
    expect(expectedLoadMs({ workers: [worker({})] })).toBeNull();
  });

  it('is asked for once a model is named, with good numbers alone', () => {
    expect(fitQuestion(EMPTY_DRAFT)).toBeNull();
    expect(fitQuestion({ ...EMPTY_DRAFT, path: '/m.gguf', slots: '4', context: '1' })).toEqual({
      source: { kind: 'file', path: '/m.gguf' },
      slots: 4,
    });
  });

  it('has sliders that grow when their end is reached', () => {
    expect([4, 32, 100, 5_000].map((value) => sliderMax(value, 32, 1_024))).toEqual([32, 64, 128, 1_024]);
  });
});

describe('a list that is searched', () => {
  it('keeps what holds every word', () => {
    const choices = [
      { value: '1', title: 'Qwen3-4B.gguf', text: '/models/a' },
      { value: '2', title: 'Llama.gguf' },
    ];
    expect(found(choices, 'qwen models').map(({ value }) => value)).toEqual(['1']);
    expect(found(choices, '')).toHaveLength(2);
  });
});

describe('the context of a model', () => {
  const details = (asked: number | null, ...served: (number | null)[]): DeploymentDetails =>
    ({
      deployment: { rev: 2 },
      revisions: [{ rev: 2, context: asked }],
      running: [...served.map((context) => ({ rev: 2, context })), { rev: 1, context: 128 }],
    }) as unknown as DeploymentDetails;

  it('is seen where a replica serves less than it was asked for', () => {
    expect(seenContext(details(8_192, null, 1_024))).toBe(1_024);
    expect(seenContext(details(null, 1_024))).toBe(1_024);
  });

  it('is unknown where replicas serve all that they were asked for', () => {
    expect([details(512, 512), details(512), details(512, null)].map(seenContext)).toEqual([null, null, null]);
  });
});
