import { type AccountId, type Actor, CreateSetupLink, isServiceError } from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';

/** Whom the audit log names for what the launcher does. */
export const LAUNCHER: Actor = { kind: 'ops', client: 'npm start' };

/** The secret of the link by which the first owner comes in; null once there is one. Another one voids that of an earlier start. */
export async function provideSetupToken(rpc: RpcClient, account: AccountId): Promise<string | null> {
  try {
    return (await rpc.call(CreateSetupLink, { account, actor: LAUNCHER })).token;
  } catch (error) {
    if (isServiceError(error) && error.code === 'account_has_owner') return null;
    throw error;
  }
}
