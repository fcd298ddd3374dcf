import {
  type AccountId,
  AddExamples,
  DownloadDataset,
  ExportAdapter,
  FindDataset,
  FindVersion,
  KEY_PROOF_TYPE,
  keyProofAudience,
  ListDatasets,
  ListSessionKeys,
  ListTuningAudit,
  ReadAdapterAnswers,
  ReadExamples,
  ReadIssues,
  ReadJobLog,
  ReadJobSamples,
  SetDatasetAccess,
  sessionIssuer,
} from '@slipway/contracts';
import { createLogger, RpcClient, RpcResponder } from '@slipway/platform';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect } from 'vitest';
import { ENV } from '../services/bus.js';
import { PatientRpc } from '../services/patient-rpc.js';
import { JobsStage } from './jobs-stage.js';
import { anAccount, rigTest, type TuningRig } from './rig.js';

/** Calls of an account's MCP key, whose proof is signed as keys-service signs it. */
async function agentOf(rig: TuningRig, account: AccountId): Promise<PatientRpc> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  const { x = '' } = await exportJWK(publicKey);
  const key = { kid: 'k1', kty: 'OKP' as const, crv: 'Ed25519' as const, x, alg: 'EdDSA' as const };
  const options = { nats: await rig.connect('keys'), env: ENV, log: createLogger('test', 'silent') };
  new RpcResponder(options, ListSessionKeys, () => Promise.resolve({ keys: [key] }));
  const proof = await new SignJWT({ acct: account, scope: 'write' })
    .setProtectedHeader({ alg: 'EdDSA', kid: 'k1', typ: KEY_PROOF_TYPE })
    .setSubject('12')
    .setIssuer(sessionIssuer(ENV))
    .setAudience(keyProofAudience(ENV))
    .setIssuedAt()
    .setExpirationTime('60s')
    .sign(privateKey);
  return new PatientRpc(new RpcClient(await rig.connect('console'), ENV).withProof(proof));
}

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
