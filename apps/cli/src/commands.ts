import { accounts } from './accounts/account-commands.js';
import { aliases } from './aliases/alias-commands.js';
import { audit } from './audit/audit-commands.js';
import type { Group } from './command.js';
import { deployments } from './deployments/deployment-commands.js';
import { keys } from './keys/key-commands.js';
import { usage } from './ledger/usage-command.js';
import { sessions } from './sessions/session-commands.js';
import { users } from './users/user-commands.js';
import { workers } from './workers/worker-commands.js';

/** Everything that `npx slipway` can do. */
export const COMMANDS: Group = {
  name: 'slipway',
  summary: 'Works with the Slipway that npm start brought up here, or that NATS_URL, NATS_CREDENTIALS_DIR and SLIPWAY_ENV name.',
  commands: [accounts, users, keys, deployments, aliases, usage, audit, sessions, workers],
};
