import {
  CreateDataset,
  DeleteDataset,
  FindDataset,
  FindTuningUse,
  ListDatasets,
  ListTuningAudit,
  RenameDataset,
  SetDatasetAccess,
  SetTuningQuotas,
} from '@slipway/contracts';
import { describe, expect } from 'vitest';
import { anAccount, rigTest } from './rig.js';

describe('data sets', () => {
  rigTest('are listed by name, of their account alone', async ({ served: rig }) => {
    const [account, other] = [anAccount(), anAccount()];
    for (const name of ['zeta', 'alpha', 'beta']) await rig.createDataset(account, name);
    await rig.createDataset(other, 'alpha');
    const { datasets, next } = await rig.ask(ListDatasets, { account });
    expect([datasets.map(({ name }) => name), next]).toEqual([['alpha', 'beta', 'zeta'], null]);
    expect(datasets[0]).toMatchObject({ kind: 'sft', agent_access: 'stats', versions: 0, head: null, ready: null, jobs: 0 });
    const found = await rig.ask(ListDatasets, { account, search: 'eta', after: 'beta' });
    expect(found.datasets.map(({ name }) => name)).toEqual(['zeta']);
  });

  rigTest('are made once for an idempotency key', async ({ served: rig }) => {
    const account = anAccount();
    const request = { account, name: 'once', idempotency_key: 'k1' };
    const made = await Promise.all(Array.from({ length: 4 }, () => rig.ask(CreateDataset, request)));
    expect(new Set(made.map(({ dataset }) => dataset)).size).toBe(1);
    expect((await rig.outcome(CreateDataset, { account, name: 'once' })).code).toBe('name_taken');
  });

  rigTest('of another account are as if not there', async ({ served: rig }) => {
    const [account, other] = [anAccount(), anAccount()];
    const dataset = await rig.createDataset(account);
    for (const [contract, request] of [
      [FindDataset, { account: other, dataset }],
      [FindDataset, { account: other, dataset: 'support' }],
      [RenameDataset, { account: other, dataset, name: 'mine' }],
      [SetDatasetAccess, { account: other, dataset, agent_access: 'examples' }],
      [DeleteDataset, { account: other, dataset }],
    ] as const) {
      expect([contract.subject, (await rig.outcome(contract, request as never)).code]).toEqual([contract.subject, 'dataset_not_found']);
    }
  });

  rigTest('are renamed, shown to agents and deleted, with an audit entry each', async ({ served: rig }) => {
    const account = anAccount();
    const dataset = await rig.createDataset(account, 'first');
    await rig.createDataset(account, 'taken');
    expect((await rig.outcome(RenameDataset, { account, dataset, name: 'taken' })).code).toBe('name_taken');
    await rig.ask(RenameDataset, { account, dataset, name: 'second' });
    await rig.ask(SetDatasetAccess, { account, dataset, agent_access: 'examples' });
    expect((await rig.ask(FindDataset, { account, dataset: 'second' })).dataset).toMatchObject({ id: dataset, agent_access: 'examples' });
    await rig.ask(DeleteDataset, { account, dataset });
    expect((await rig.outcome(FindDataset, { account, dataset })).code).toBe('dataset_not_found');
    const { entries } = await rig.ask(ListTuningAudit, { account, object: `dataset:${dataset}` });
    expect(entries.map(({ action }) => action)).toEqual(['dataset.delete', 'dataset.access', 'dataset.rename', 'dataset.create']);
    // The name is free again.
    await rig.createDataset(account, 'second');
  });

  rigTest('are bounded by the quota of the account', async ({ served: rig }) => {
    const account = anAccount();
    await rig.ask(SetTuningQuotas, { account, quotas: { datasets: 1 } });
    await rig.createDataset(account, 'one');
    expect((await rig.outcome(CreateDataset, { account, name: 'two' })).code).toBe('quota_exceeded');
    const { quotas, used } = await rig.ask(FindTuningUse, { account });
    expect([quotas.datasets, quotas.uploads, used.datasets]).toEqual([1, 4, 1]);
  });
});
