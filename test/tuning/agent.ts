import { type AccountId, KEY_PROOF_TYPE, keyProofAudience, ListSessionKeys, sessionIssuer } from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { answerCalls } from '../services/answer-calls.js';
import { ENV } from '../services/bus.js';
import { PatientRpc } from '../services/patient-rpc.js';
import type { TuningRig } from './rig.js';

type SigningKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
const signing = new WeakMap<TuningRig, Promise<SigningKey>>();

/** The key that signs proofs in a rig, published as keys-service publishes it. */
async function published(rig: TuningRig): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  const { x = '' } = await exportJWK(publicKey);
  const key = { kid: 'k1', kty: 'OKP' as const, crv: 'Ed25519' as const, x, alg: 'EdDSA' as const };
  await answerCalls(await rig.connect('keys'), ListSessionKeys, () => ({ keys: [key] }));
  return privateKey;
}

/** Calls of an account's MCP key, whose proof is signed as keys-service signs it. One with the scope `read` counts as a viewer. */
export async function agentOf(rig: TuningRig, account: AccountId, scope: 'read' | 'write' = 'write'): Promise<PatientRpc> {
  const key = signing.get(rig) ?? published(rig);
  signing.set(rig, key);
  const proof = await new SignJWT({ acct: account, scope })
    .setProtectedHeader({ alg: 'EdDSA', kid: 'k1', typ: KEY_PROOF_TYPE })
    .setSubject('12')
    .setIssuer(sessionIssuer(ENV))
    .setAudience(keyProofAudience(ENV))
    .setIssuedAt()
    .setExpirationTime('60s')
    .sign(await key);
  return new PatientRpc(new RpcClient(await rig.connect('console'), ENV).withProof(proof));
}
