import { type AccountId, CreateKey, KeyId, ListKeys } from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';
import type { LaunchContext } from './launch-context.js';
import { LAUNCHER } from './setup-link.js';

/** A key that was just made. Its value lives in memory alone. */
export interface NewKey {
  readonly id: number;
  readonly value: string;
  readonly hint: string;
}

/** True when the key that was shown earlier still opens this account. */
async function isShownKeyActive({ state }: LaunchContext, rpc: RpcClient, account: AccountId): Promise<boolean> {
  const shown = state.state.key;
  if (!shown) return false;
  // Lists hold keys below a number: the first one below the next number is the key itself, if it exists.
  const { keys } = await rpc.call(ListKeys, { account, before: KeyId.parse(shown.id + 1) });
  return keys.some((key) => key.id === shown.id && key.hint === shown.hint && key.state === 'active');
}

/** A new key where none was shown yet or another is wanted; null on later runs. */
export async function provideKey(context: LaunchContext, rpc: RpcClient, account: AccountId): Promise<NewKey | null> {
  if (!context.stage.options.newKey && (await isShownKeyActive(context, rpc, account))) return null;
  return rpc.call(CreateKey, { account, name: 'npm start', actor: LAUNCHER });
}

/** Notes, once a key was printed, that it was: a start that dies before makes another one next time. */
export const rememberShown = ({ state }: LaunchContext, { id, hint }: NewKey): Promise<void> => state.update({ key: { id, hint } });
