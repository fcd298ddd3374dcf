import { until } from '../testing/until.js';
import { type Script, send, type Tenant } from './usage-rig.js';

const SCRIPT: Script = { tokens: 3, end: 'complete' };

/** Sends one plain request to a gateway, and reads its answer. */
export async function ask(gateway: string, tenant: Tenant, api: 'chat' | 'messages' = 'chat'): Promise<Response> {
  const response = await send(gateway, tenant, SCRIPT, { api, stream: false, maxTokens: 20 });
  await response.clone().text();
  return response;
}

/** Waits until a gateway knows limits or the use of a key. */
export const untilStatus = (gateway: string, tenant: Tenant, status: number): Promise<Response> =>
  until(
    `the gateway answers ${status}`,
    async () => {
      const response = await ask(gateway, tenant);
      return response.status === status && response;
    },
    30_000,
  );
