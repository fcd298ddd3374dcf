import { type Actor, type AgentAccess, ServiceError } from '@slipway/contracts';

/** What an MCP key wants to read: figures and problems, or text. */
export type Wanted = 'stats' | 'examples';

const LEVELS: Readonly<Record<AgentAccess, number>> = { none: 0, stats: 1, examples: 2 };

/** Whether this actor may read it of a data set with this setting. People and operators are not bound by it. */
export const mayRead = (actor: Actor | undefined, access: AgentAccess, wanted: Wanted): boolean =>
  actor?.kind !== 'key' || LEVELS[access] >= LEVELS[wanted];

/** @throws ServiceError `not_permitted` where an MCP key may not read it */
export function requireRead(actor: Actor | undefined, access: AgentAccess, wanted: Wanted): void {
  if (mayRead(actor, access, wanted)) return;
  const what = wanted === 'stats' ? 'figures and problems' : 'text';
  throw new ServiceError(
    'not_permitted',
    `Agents may not read ${what} of this data set. An owner of the account can allow it in the data set's settings.`,
    { param: 'dataset' },
  );
}

/** The error for a data set that does not exist or belongs to another account; callers cannot tell which. */
export const datasetNotFound = (): ServiceError =>
  new ServiceError('dataset_not_found', 'This account has no such data set or version.', { param: 'dataset' });
