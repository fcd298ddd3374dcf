import type { DeploymentView, KeyView, UsageGroup, UsageRow } from '@slipway/contracts';

export const GROUPS: readonly { readonly value: UsageGroup; readonly label: string }[] = [
  { value: 'deployment', label: 'Deployment' },
  { value: 'key', label: 'Key' },
  { value: 'alias', label: 'Alias' },
  { value: 'api', label: 'Contract' },
  { value: 'status', label: 'Outcome' },
];

/** Public contracts as people call them; one that this page does not know is shown by its word. */
export const CONTRACTS: Readonly<Record<string, string>> = {
  chat: 'Chat completions',
  messages: 'Messages',
  responses: 'Responses',
  embeddings: 'Embeddings',
};

/** HTTP statuses of what is refused or fails, for the codes that people see most. */
const HTTP: Readonly<Record<string, number>> = {
  rate_limit_exceeded: 429,
  model_not_found: 404,
  not_found: 404,
  model_mismatch: 400,
  deployment_stopped: 409,
  deployment_unavailable: 503,
  overloaded: 503,
  context_length_exceeded: 400,
  request_too_large: 413,
  timeout: 504,
  worker_lost: 502,
  engine_error: 502,
  server_shutting_down: 503,
  internal: 500,
};

/** An outcome as people read it: `rate_limit_exceeded` is `Rate limit exceeded (429)`. */
export function outcomeOf(status: string): string {
  const words = status.replaceAll('_', ' ');
  const http = HTTP[status];
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${http === undefined ? '' : ` (${http})`}`;
}

/** Outcomes that are offered as filters before the ledger has any. */
export const OUTCOMES: readonly string[] = ['completed', 'cancelled', 'running', ...Object.keys(HTTP)];

/** Names of the keys, each of them unique: two that are called the same have their numbers beside. Those in no list have one name. */
export function keyNames(
  keys: readonly Pick<KeyView, 'id' | 'name'>[],
  playground: readonly number[],
  evaluation: readonly number[] = [],
): ReadonlyMap<number, string> {
  const counts = new Map<string, number>([
    ['Playground', playground.length],
    ['Evaluation', evaluation.length],
  ]);
  for (const { name } of keys) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map([
    ...keys.map(({ id, name }): [number, string] => [id, (counts.get(name) ?? 0) > 1 ? `${name} (key ${id})` : name]),
    ...playground.map((id): [number, string] => [id, 'Playground']),
    ...evaluation.map((id): [number, string] => [id, 'Evaluation']),
  ]);
}

/** The same of deployments, with their slugs where two are called the same. */
export function deploymentNames(deployments: readonly Pick<DeploymentView, 'id' | 'name'>[]): ReadonlyMap<number, string> {
  const counts = new Map<string, number>();
  for (const { name } of deployments) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(deployments.map(({ id, name }) => [id, (counts.get(name) ?? 0) > 1 ? `${name} (deployment-${id})` : name]));
}

export interface Names {
  readonly keys: ReadonlyMap<number, string>;
  readonly deployments: ReadonlyMap<number, string>;
}

/** Names the part that a row of a split belongs to, unlike all others. */
export function partName({ keys, deployments }: Names, row: Partial<UsageRow>, by: UsageGroup): string {
  const { key, deployment, alias, api, status } = row;
  switch (by) {
    case 'key':
      return key === undefined ? 'No key' : (keys.get(key) ?? `Key ${key}`);
    case 'deployment':
      return deployment === undefined ? 'No deployment' : (deployments.get(deployment) ?? `deployment-${deployment}`);
    case 'alias':
      return alias === undefined || alias === '' ? 'Called by slug' : alias;
    case 'api':
      return CONTRACTS[api ?? ''] ?? api ?? 'Unknown';
    case 'status':
      return outcomeOf(status ?? 'unknown');
  }
}

/** What a row of a split is filtered by; empty where it cannot be. */
export const partValue = (row: Partial<UsageRow>, by: UsageGroup): string => String(row[by] ?? '');
