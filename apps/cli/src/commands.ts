import { RotateSessionKey } from '@slipway/contracts';
import { accounts } from './accounts/account-commands.js';
import { aliases } from './aliases/alias-commands.js';
import { audit } from './audit/audit-commands.js';
import { backup, restore } from './backup/backup-commands.js';
import { check, status } from './check/check-commands.js';
import { certs } from './certs/certs-command.js';
import { natsConf } from './certs/nats-conf-command.js';
import { type CliCommand, command, group } from './command.js';
import { create, update } from './deployments/revision-commands.js';
import { list, log, models, show } from './deployments/show-commands.js';
import { remove, resume, scale, stop } from './deployments/state-commands.js';
import { keys } from './keys/key-commands.js';
import { rollouts } from './rollouts/rollout-commands.js';
import { config } from './processes/config-command.js';
import { logLevel } from './processes/log-level-command.js';
import { migrate } from './migrate/migrate-command.js';
import { OPERATOR } from './session/session.js';
import { adapters } from './tuning/adapter-commands.js';
import { datasets } from './tuning/dataset-commands.js';
import { evals } from './tuning/evaluation-commands.js';
import { jobs, tune } from './tuning/job-commands.js';
import { trainers } from './tuning/trainer-commands.js';
import { usage } from './usage/usage-command.js';
import { users } from './users/user-commands.js';
import { drain } from './workers/drain-command.js';
import { workers } from './workers/worker-commands.js';

const rotateKey = command(
  'rotate-key',
  'Makes a new key that signs the session tokens of the console.',
  'Tokens of the old key stay valid until they expire, after 15 minutes at most.',
)
  .option('--revoke-old', 'tokens of older keys are refused at once, as after a leak; pages get new ones')
  .plans(({ options }: { options: { revokeOld?: true } }) => async (session) => {
    const revokesOld = options.revokeOld === true;
    const { kid } = await session.call(RotateSessionKey, { actor: OPERATOR, ...(revokesOld && { revoke_old: true }) });
    const text = `Session tokens are signed with key ${kid} from now on${revokesOld ? '; tokens of older keys are void' : ''}.`;
    return { json: { kid, revoked_old: revokesOld }, text };
  });

/** Every command of `npx slipway`. */
export const COMMANDS: readonly CliCommand[] = [
  accounts,
  users,
  keys,
  group('deployments', 'Makes, shows, changes, stops and deletes deployments.', [
    ...[create, list, show, models, update, scale, stop, resume, remove, log],
  ]),
  aliases,
  rollouts,
  tune,
  datasets,
  jobs,
  adapters,
  evals,
  trainers,
  usage,
  audit,
  group('sessions', 'Replaces the key that signs the sessions of the console.', [rotateKey]),
  workers,
  drain,
  status,
  check,
  config,
  logLevel,
  migrate,
  backup,
  restore,
  certs,
  natsConf,
];
