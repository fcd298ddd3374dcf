import { CreateAccount, FindAccount, isServiceError } from '@slipway/contracts';
import type { AccountId } from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';
import type { LaunchContext } from './launch-context.js';
import { LAUNCHER } from './setup-link.js';

/** Slug of the account that the launcher makes and uses. */
export const ACCOUNT_SLUG = 'local';

/** @throws StartError where it was deleted: its name is never given again */
async function find({ stage }: Pick<LaunchContext, 'stage'>, rpc: RpcClient): Promise<AccountId | null> {
  try {
    const { id, deleted_at: deletedAt } = await rpc.call(FindAccount, { slug: ACCOUNT_SLUG });
    if (deletedAt === undefined) return id;
  } catch (error) {
    if (isServiceError(error) && error.code === 'account_not_found') return null;
    throw error;
  }
  throw new stage.StartError(`The account ${ACCOUNT_SLUG} of this data folder was deleted; start with another --data-dir.`);
}

/** The launcher's account, made on the first call. @throws StartError where it was deleted */
export async function provideAccount(context: Pick<LaunchContext, 'stage'>, rpc: RpcClient): Promise<AccountId> {
  const found = await find(context, rpc);
  if (found !== null) return found;
  try {
    return (await rpc.call(CreateAccount, { slug: ACCOUNT_SLUG, actor: LAUNCHER })).id;
  } catch (error) {
    const made = isServiceError(error) && error.code === 'slug_taken' ? await find(context, rpc) : null;
    if (made !== null) return made;
    throw error;
  }
}
