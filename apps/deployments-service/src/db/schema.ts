import { DeploymentFeed } from '@slipway/contracts';
import { feedTableNames, type ServiceDatabase } from '@slipway/database';
import { AliasEntity } from '../aliases/alias.entity.js';
import { DeploymentEntity, RevisionEntity } from '../deployments/deployment.entity.js';
import { Deployments1761000000000 } from './migrations/1761000000000-deployments.js';
import { Updates1763000000000 } from './migrations/1763000000000-updates.js';
import { Adapters1769600000000 } from './migrations/1769600000000-adapters.js';
import { Audit1764000000000 } from './migrations/1764000000000-audit.js';
import { AuditChain1769300000000 } from './migrations/1769300000000-audit-chain.js';
import { Creations1766000000000 } from './migrations/1766000000000-creations.js';
import { Tries1767500000000 } from './migrations/1767500000000-tries.js';
import { DrainedAgents1770200000000 } from './migrations/1770200000000-drained-agents.js';
import { DrainWaits1770300000000 } from './migrations/1770300000000-drain-waits.js';
import { Quotas1769000000000 } from './migrations/1769000000000-quotas.js';
import { History1769400000000 } from './migrations/1769400000000-history.js';
import { NamedAgents1769100000000 } from './migrations/1769100000000-named-agents.js';
import { Rollouts1769800000000 } from './migrations/1769800000000-rollouts.js';
import { RolloutSuites1770000000000 } from './migrations/1770000000000-rollout-suites.js';
import { ReplicaRanges1770100000000 } from './migrations/1770100000000-replica-ranges.js';
import { StoredResponses1769700000000 } from './migrations/1769700000000-stored-responses.js';

/** The service's database: entities, migrations, and the relations of releases that had no migrations table. */
export const deploymentsDatabase: ServiceDatabase = {
  name: 'deployments',
  applicationName: 'slipway-deployments',
  entities: [DeploymentEntity, RevisionEntity, AliasEntity],
  migrations: [
    Deployments1761000000000,
    Updates1763000000000,
    Audit1764000000000,
    Creations1766000000000,
    Tries1767500000000,
    Quotas1769000000000,
    NamedAgents1769100000000,
    AuditChain1769300000000,
    History1769400000000,
    Adapters1769600000000,
    StoredResponses1769700000000,
    Rollouts1769800000000,
    RolloutSuites1770000000000,
    ReplicaRanges1770100000000,
    DrainedAgents1770200000000,
    DrainWaits1770300000000,
  ],
  strays: {
    schemas: ['audit'],
    relations: [
      'deployment',
      'revision',
      'alias',
      'placement_term',
      'account_quota',
      'creation',
      'deployment_event',
      'adapter_use',
      'rollout',
      'drained_agent',
      'record_version',
      ...feedTableNames(DeploymentFeed.name),
    ],
  },
};
