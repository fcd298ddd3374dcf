import {
  AddExamples,
  DownloadDataset,
  ExportAdapter,
  FindDataset,
  FindVersion,
  ListDatasets,
  ListTuningAudit,
  ReadAdapterAnswers,
  ReadExamples,
  ReadIssues,
  ReadJobLog,
  ReadJobSamples,
  SetDatasetAccess,
} from '@slipway/contracts';
import { describe, expect } from 'vitest';
import { agentOf } from './agent.js';
import { JobsStage } from './jobs-stage.js';
import { anAccount, rigTest } from './rig.js';

describe('an agent', () => {
  rigTest('reads of a data set what its owner allows', async ({ rig }) => {
    await rig.startReplica();
    const stage = new JobsStage(rig);
    try {
      const account = anAccount();
      const agent = await agentOf(rig, account);
      const { dataset, version } = await stage.dataset(account);
      const trainer = await stage.trainer();
      const job = await stage.job({ account, dataset });
      const item = await stage.given(trainer, job);
      await trainer.report(item, { samples: [{ step: 0, prompt_no: 0, prompt: 'p', answer: 'a', expected: 'e' }] });
      await trainer.succeed(item);
      const { adapter } = await stage.seen(account, job, 'succeeded');
      const calls = {
        figures: () => agent.ask(FindVersion, { account, dataset, version }).then((one) => one.version.statistics !== null),
        issues: () => agent.outcome(ReadIssues, { account, dataset, version }),
        examples: () => agent.outcome(ReadExamples, { account, dataset, version, from: 1, limit: 5 }),
        samples: () => agent.outcome(ReadJobSamples, { account, job }),
        answers: () => agent.outcome(ReadAdapterAnswers, { account, adapter: adapter! }),
      };
      const seen = async (): Promise<unknown[]> => {
        const { figures, ...text } = calls;
        const codes = await Promise.all(Object.values(text).map(async (call) => (await call()).code ?? 'read'));
        return [await figures(), ...codes];
      };
      const no = 'not_permitted';
      expect(await seen()).toEqual([true, 'read', no, no, no]);
      await rig.ask(SetDatasetAccess, { account, dataset, agent_access: 'none' });
      expect(await seen()).toEqual([false, no, no, no, no]);
      const { datasets } = await agent.ask(ListDatasets, { account });
      expect(datasets).toMatchObject([{ name: 'support', head: { statistics: null, issues: [] } }]);
      expect(JSON.stringify(await agent.ask(FindDataset, { account, dataset }))).not.toContain('Question');
      await rig.ask(SetDatasetAccess, { account, dataset, agent_access: 'examples' });
      expect(await seen()).toEqual([true, 'read', 'read', 'read', 'read']);
      const { entries } = await rig.ask(ListTuningAudit, { account, action: 'dataset.preview_by_agent' });
      expect(entries).toMatchObject([{ actor: 'key', actor_id: 12, object_name: 'support', facts: { version, from: 1 } }]);
      for (const outcome of [
        agent.outcome(SetDatasetAccess, { account, dataset, agent_access: 'examples' }),
        agent.outcome(DownloadDataset, { account, dataset, version, what: 'canonical' }),
        agent.outcome(ReadJobLog, { account, job }),
        agent.outcome(ExportAdapter, { account, adapter: adapter!, form: 'gguf' }),
      ])
        expect((await outcome).code).toBe(no);
      const added = { prompt: 'What is new?', completion: 'Nothing.' };
      expect(await agent.ask(AddExamples, { account, dataset, base_version: version, examples: [added], remove: [1] })).toEqual({
        version: 2,
      });
    } finally {
      stage.end();
    }
  });
});
