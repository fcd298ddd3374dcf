import type { AgentHeartbeat, AssignmentItem } from '@slipway/contracts';
import type { CredentialVault } from '../deployments/credential-vault.js';
import type { Target } from './target.js';
import { type UnitKey, unitKey } from './unit.js';

/** Physical cores are about half of what a machine counts, and more threads than these slow llama.cpp down. */
const threadsOf = (cpu: number): number => Math.max(1, Math.floor(cpu / 2));

export interface ItemOptions {
  readonly vault: CredentialVault;
  /** Threads per model whose owner does not say; null = half of the agent's processors. */
  readonly threads: number | null;
}

/** Words an agent's units as it is told them. Credentials are opened here and nowhere else. */
export function assignmentItems(
  keys: ReadonlySet<UnitKey>,
  targets: readonly Target[],
  agent: Pick<AgentHeartbeat, 'cpu'>,
  { vault, threads }: ItemOptions,
): AssignmentItem[] {
  return targets.flatMap(({ dep, account, revisions }) =>
    revisions
      .filter(({ rev }) => keys.has(unitKey({ dep, rev })))
      .map((revision) => ({
        dep,
        rev: revision.rev,
        source: revision.source,
        context: revision.context,
        slots: revision.slots,
        threads: revision.threads ?? threads ?? threadsOf(agent.cpu),
        default_max_tokens: revision.defaultMaxTokens,
        ...(revision.credential !== null && { credential: vault.open(revision.credential, account) }),
      })),
  );
}
