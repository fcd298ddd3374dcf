import {
  type AccountId,
  type Actor,
  CreateAccount,
  CreateKey,
  CreateSetupLink,
  FindAccount,
  isServiceError,
  KeyId,
  ListKeys,
} from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';
import { StartError } from '../../../scripts/lib/start-error.mjs';
import type { LaunchContext } from './launch-context.js';

/** The launcher as actor in the audit log. */
const LAUNCHER: Actor = { kind: 'ops', client: 'npm start' };

/** Slug of the account that the launcher creates and uses. */
export const ACCOUNT_SLUG = 'local';

/** Null when it does not exist. @throws StartError when it was deleted, since its slug cannot be used again */
async function find(rpc: RpcClient): Promise<AccountId | null> {
  try {
    const { id, deleted_at: deletedAt } = await rpc.call(FindAccount, { slug: ACCOUNT_SLUG });
    if (deletedAt === undefined) return id;
  } catch (error) {
    if (isServiceError(error) && error.code === 'account_not_found') return null;
    throw error;
  }
  throw new StartError(`The account ${ACCOUNT_SLUG} of this data folder was deleted; start with another --data-dir.`);
}

/** The launcher's account, created on the first call. @throws StartError when it was deleted */
export async function provideAccount(rpc: RpcClient): Promise<AccountId> {
  const found = await find(rpc);
  if (found !== null) return found;
  try {
    return (await rpc.call(CreateAccount, { slug: ACCOUNT_SLUG, actor: LAUNCHER })).id;
  } catch (error) {
    const made = isServiceError(error) && error.code === 'slug_taken' ? await find(rpc) : null;
    if (made !== null) return made;
    throw error;
  }
}

/** A new key. Its value is kept in memory only. */
export interface NewKey {
  readonly id: number;
  readonly value: string;
  readonly hint: string;
}

/** True if the key that was shown earlier is still active. */
async function isShownKeyActive({ state }: LaunchContext, rpc: RpcClient, account: AccountId): Promise<boolean> {
  const shown = state.state.key;
  if (!shown) return false;
  // Lists hold keys with ids below `before`: the first one below id + 1 is the key itself, if it exists.
  const { keys } = await rpc.call(ListKeys, { account, before: KeyId.parse(shown.id + 1) });
  return keys.some((key) => key.id === shown.id && key.hint === shown.hint && key.state === 'active');
}

/** Creates a key on the first run and with --new-key; null otherwise. */
export async function provideKey(context: LaunchContext, rpc: RpcClient, account: AccountId): Promise<NewKey | null> {
  if (!context.stage.options.newKey && (await isShownKeyActive(context, rpc, account))) return null;
  return rpc.call(CreateKey, { account, name: 'npm start', actor: LAUNCHER });
}

/** Records that a key was printed. After a start that failed before that, the next start creates another key. */
export const rememberShown = ({ state }: LaunchContext, { id, hint }: NewKey): Promise<void> => state.update({ key: { id, hint } });

/** The token of the first owner's set-up link; null once there is an owner. A new link voids the earlier one. */
export async function provideSetupToken(rpc: RpcClient, account: AccountId): Promise<string | null> {
  try {
    return (await rpc.call(CreateSetupLink, { account, actor: LAUNCHER })).token;
  } catch (error) {
    if (isServiceError(error) && error.code === 'account_has_owner') return null;
    throw error;
  }
}
