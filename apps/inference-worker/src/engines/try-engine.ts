import type { EngineFinding, ModelSource } from '@slipway/contracts';
import type { Logger } from '@slipway/platform';

/**
 * Asks an HTTP engine once what loading a deployment of it would ask, without loading anything. Never throws: what is wrong
 * is the finding. Its code is imported where it is used, as that of engines is.
 */
export async function tryEngine(
  { url, model }: Extract<ModelSource, { kind: 'http' }>,
  credential: string | undefined,
  log: Pick<Logger, 'warn'>,
): Promise<Omit<EngineFinding, 'ms'>> {
  const { tryUpstream } = await import('./http/try-upstream.js');
  return tryUpstream({ url, model, credential }, log);
}
