import { type AdapterView, JOB_STATES, type JobView, type VersionView } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { TOOLS } from '../tool-registry.js';
import { afterAdapter, afterJob, afterVersion } from './next-steps.js';

const NAMES = new Set(TOOLS.map(({ name }) => name));
/** Tools that a text names, in its order. */
const toolsIn = (text: string): string[] => (text.match(/[a-z]+(?:_[a-z]+)+/g) ?? []).filter((word) => NAMES.has(word));

const version = (state: VersionView['state'], repairs: VersionView['repairs'] = []): VersionView =>
  ({ number: 3, state, repairs }) as unknown as VersionView;
const job = (state: JobView['state']): JobView => ({ state, reason: null, detail: null }) as unknown as JobView;
const adapter = (rest: Partial<AdapterView>): AdapterView =>
  ({ name: 'support', version: 2, verdict: { passed: true, checks: [] }, deployments: [], ...rest }) as AdapterView;

describe('what an agent does next', () => {
  it('with a data set follows from its version', () => {
    expect(toolsIn(afterVersion('support', null))).toEqual(['create_dataset_upload', 'add_examples']);
    expect(toolsIn(afterVersion('support', version('validating')))).toEqual(['get_dataset']);
    expect(toolsIn(afterVersion('support', version('ready')))).toEqual(['list_tunable_bases', 'plan_tuning_job']);
    expect(toolsIn(afterVersion('support', version('invalid')))).toEqual(['get_dataset_problems', 'create_dataset_upload']);
    expect(toolsIn(afterVersion('support', version('invalid', ['convert_array'])))).toEqual(['get_dataset_problems', 'repair_dataset']);
  });

  it.each(JOB_STATES)('with a job that is %s is a tool that there is', (state) => {
    expect(toolsIn(afterJob(job(state), null)).length).toBeGreaterThan(0);
  });

  it('with a job that made an adapter is to read its verdict', () => {
    for (const state of ['succeeded', 'cancelled'] as const)
      expect(afterJob(job(state), 'support@2')).toBe('Call get_adapter with support@2 for the verdict and its reasons.');
    expect(toolsIn(afterJob(job('running'), null))).toEqual(['get_tuning_job']);
  });

  it('with an adapter is to serve it, unless it failed its gate or is served', () => {
    expect(toolsIn(afterAdapter(adapter({})))).toEqual(['deploy_adapter']);
    expect(afterAdapter(adapter({ verdict: { passed: false, checks: [] } }))).toContain('an owner can deploy it');
    const checks = [{ check: 'suite', passed: null, base: null, adapter: null, bound: null, examples: 0, detail: 'Not run.' }];
    expect(toolsIn(afterAdapter(adapter({ verdict: { passed: false, checks } })))).toEqual(['deploy_adapter', 'evaluate_adapter']);
    expect(afterAdapter(adapter({ deployments: [7] as AdapterView['deployments'] }))).toContain('get_deployment with deployment-7');
  });
});
