import { type AccountId, type AgentHeartbeat, type AssignmentItem, credentialBinding, withQuery } from '@slipway/contracts';
import type { AgentSealers } from '../agents/agent-sealers.js';
import type { CredentialVault } from '../deployments/credential-vault.js';
import type { Revision, Target } from './target.js';

/** Physical cores are about half of what a machine counts, and more threads than these slow llama.cpp down. */
const threadsOf = (cpu: number): number => Math.max(1, Math.floor(cpu / 2));

export interface ItemOptions {
  readonly vault: CredentialVault;
  readonly sealers: AgentSealers;
  /** Threads per model whose owner does not say; null = half of the agent's processors. */
  readonly threads: number | null;
}

/** A revision with whose it is. */
export interface OwnedRevision {
  readonly target: Pick<Target, 'dep' | 'account'>;
  readonly revision: Revision;
}

type Receiver = Pick<AgentHeartbeat, 'wk' | 'cpu' | 'key'>;

/**
 * Words a unit as an agent is told it. Stored secrets are opened here and in engine tests, nowhere else.
 * @throws UnreadableSecretError; Error where the agent may not be told the secret.
 */
export function assignmentItem({ target, revision }: OwnedRevision, agent: Receiver, options: ItemOptions): AssignmentItem {
  const { dep, account } = target;
  const { rev, source, context, slots, threads, defaultMaxTokens } = revision;
  const item = {
    ...{ dep, account: account as AccountId, rev, source, context, slots },
    // More threads than processors slow every model of the worker down.
    threads: Math.min(agent.cpu, threads ?? options.threads ?? threadsOf(agent.cpu)),
    default_max_tokens: defaultMaxTokens,
  };
  if (revision.credential === null) return item;
  const secret = options.vault.open(revision.credential, account);
  const wrapped = options.sealers.wrap(agent, secret, credentialBinding({ dep, rev, wk: agent.wk }));
  // Agents that take secrets in clear know an address with its query only as one text.
  const whole = 'credential' in wrapped ? withQuery(source, secret) : null;
  return whole ? { ...item, source: whole } : { ...item, ...wrapped };
}
