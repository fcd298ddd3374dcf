import { KeyFeed, SessionFeed } from '@slipway/contracts';
import { feedTableNames } from '@slipway/database';
import { AccountEntity, IdentityEntity, InvitationEntity, KeyEntity, MembershipEntity, PersonEntity, SessionEntity } from './entities.js';
import { Usage1765000000000 } from './migrations/1765000000000-usage.js';
import { UsageLatency1767000000000 } from './migrations/1767000000000-usage-latency.js';
import { UsageBounds1768300000000 } from './migrations/1768300000000-usage-bounds.js';
import { UsageRefusals1768700000000 } from './migrations/1768700000000-usage-refusals.js';
import { AuditFilters1769500000000 } from './migrations/1769500000000-audit-filters.js';
import { McpCalls1769500000001 } from './migrations/1769500000001-mcp-calls.js';
import { UsageClaims1769400000000 } from './migrations/1769400000000-usage-claims.js';
import { AccountQuotas1768300000001 } from './migrations/1768300000001-account-quotas.js';
import { AccountsAndKeys1761000000000 } from './migrations/1761000000000-accounts-and-keys.js';
import { AuditChain1768500000000 } from './migrations/1768500000000-audit-chain.js';
import { ProvenPeople1768600000000 } from './migrations/1768600000000-proven-people.js';
import { EvaluationKeys1769600000001 } from './migrations/1769600000001-evaluation-keys.js';
import { KeyCreators1767300000000 } from './migrations/1767300000000-key-creators.js';
import { KeyRotations1767400000000 } from './migrations/1767400000000-key-rotations.js';
import { Limits1766000000000 } from './migrations/1766000000000-limits.js';
import { UsageFinish1769600000000 } from './migrations/1769600000000-usage-finish.js';
import { McpUse1767200000000 } from './migrations/1767200000000-mcp-use.js';
import { PlaygroundKeys1767100000000 } from './migrations/1767100000000-playground-keys.js';
import { WorkerNames1768100000000 } from './migrations/1768100000000-worker-names.js';
import { PeopleSessionsAudit1764000000000 } from './migrations/1764000000000-people-sessions-audit.js';
import { SignInAttempts1768800000000 } from './migrations/1768800000000-sign-in-attempts.js';
import { DeletedAccounts1768900000002 } from './migrations/1768900000002-deleted-accounts.js';
import { DeletedPeople1768900000001 } from './migrations/1768900000001-deleted-people.js';
import { SuspendedPeople1768900000000 } from './migrations/1768900000000-suspended-people.js';
import { ExpelledWorkers1769000000001 } from './migrations/1769000000001-expelled-workers.js';
import { WorkerAgents1769000000000 } from './migrations/1769000000000-worker-agents.js';

/** Entities and migrations of the service's database, the migrations in the order in which they run. */
export const schema = {
  entities: [AccountEntity, KeyEntity, PersonEntity, IdentityEntity, MembershipEntity, InvitationEntity, SessionEntity],
  migrations: [
    AccountsAndKeys1761000000000,
    PeopleSessionsAudit1764000000000,
    Usage1765000000000,
    Limits1766000000000,
    UsageLatency1767000000000,
    PlaygroundKeys1767100000000,
    McpUse1767200000000,
    KeyCreators1767300000000,
    KeyRotations1767400000000,
    WorkerNames1768100000000,
    UsageBounds1768300000000,
    AccountQuotas1768300000001,
    AuditChain1768500000000,
    ProvenPeople1768600000000,
    UsageRefusals1768700000000,
    SignInAttempts1768800000000,
    SuspendedPeople1768900000000,
    DeletedPeople1768900000001,
    DeletedAccounts1768900000002,
    WorkerAgents1769000000000,
    ExpelledWorkers1769000000001,
    UsageClaims1769400000000,
    AuditFilters1769500000000,
    McpCalls1769500000001,
    UsageFinish1769600000000,
    EvaluationKeys1769600000001,
  ],
  strays: {
    schemas: ['accounts', 'keys', 'people', 'sessions', 'audit', 'usage'],
    relations: [...feedTableNames(KeyFeed.name), ...feedTableNames(SessionFeed.name)],
  },
};
