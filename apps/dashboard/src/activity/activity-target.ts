import type { AuditEntry } from '@slipway/contracts';

/** What is called how now, where the log kept a number alone; undefined = gone, or not known yet. */
export interface TargetNames {
  readonly deployment: (id: number) => string | undefined;
  readonly key: (id: number) => string | undefined;
  /** Address of a person. */
  readonly person: (id: number) => string | undefined;
}

/** What an entry is about. */
export interface Target {
  readonly text: string;
  /** Its page, without the account; null = it has none. */
  readonly path: string | null;
}

type Subject = Pick<AuditEntry, 'action' | 'object' | 'object_name' | 'facts'>;

const search = (path: string, q: string): string => `${path}?q=${encodeURIComponent(q)}`;

function deploymentOf({ action, object_name: kept }: Subject, id: string, names: TargetNames): Target {
  const known = names.deployment(Number(id));
  const slug = `deployment-${id}`;
  const name = kept ?? known ?? null;
  const isGone = action === 'deployment.delete' || known === undefined;
  return { text: name === null ? slug : `${name} (${slug})`, path: isGone ? null : `/deployments/${slug}` };
}

/** An alias has no page of its own: it leads to what it points at. */
function aliasOf({ object_name: kept, facts }: Subject, id: string): Target {
  const text = kept ?? id;
  const slug = typeof facts['deployment'] === 'string' ? facts['deployment'].split(' ').at(-1) : undefined;
  return { text, path: slug !== undefined && /^deployment-\d+$/.test(slug) ? `/deployments/${slug}` : search('/deployments', text) };
}

function keyOf({ action, object_name: kept }: Subject, id: string, names: TargetNames): Target {
  if (action.startsWith('mcp_key.')) return { text: 'MCP key', path: '/api-keys?tab=mcp' };
  if (action.startsWith('evaluation.')) return { text: kept ?? 'Evaluation', path: null };
  if (action.startsWith('playground.')) return { text: 'Playground', path: '/playground' };
  return { text: kept ?? names.key(Number(id)) ?? `key ${id}`, path: `/api-keys/${id}` };
}

function datasetOf({ action, object_name: name }: Subject, id: string): Target {
  return { text: name ?? `data set ${id}`, path: name === null || action === 'dataset.delete' ? null : `/data-sets/${name}` };
}

function personOf({ object_name: kept }: Subject, id: string, names: TargetNames): Target {
  const known = names.person(Number(id));
  return { text: kept ?? known ?? `person ${id}`, path: known === undefined ? null : search('/members', known) };
}

const TUNING_PAGES = { job: '/fine-tuning/', adapter: '/fine-tuning/adapters/', evaluation: '/evaluations/' } as const;

function tuningOf({ action, object_name: name }: Subject, kind: 'job' | 'adapter' | 'suite' | 'evaluation', id: string): Target {
  const page = kind === 'suite' ? '/evaluations?tab=suites' : `${TUNING_PAGES[kind]}${id}`;
  return { text: name ?? `${kind} ${id}`, path: action === `${kind}.delete` ? null : page };
}

/** What an entry is about, by name, and where its page is. Null where there is nothing to name. */
export function targetOf(entry: Subject, names: TargetNames): Target | null {
  const [kind = '', id = ''] = entry.object.split(/:(.*)/s);
  switch (kind) {
    case 'deployment':
      return deploymentOf(entry, id, names);
    case 'alias':
      return aliasOf(entry, id);
    case 'key':
      return keyOf(entry, id, names);
    case 'user':
      return personOf(entry, id, names);
    case 'invitation':
      return { text: entry.object_name ?? `invitation ${id}`, path: '/members' };
    case 'account':
      return { text: entry.object_name ?? 'this account', path: '/settings' };
    case 'dataset':
      return datasetOf(entry, id);
    case 'job':
    case 'adapter':
    case 'suite':
    case 'evaluation':
      return tuningOf(entry, kind, id);
    case 'rpc':
      return { text: id.replaceAll('-', ' '), path: null };
    default: {
      const text = entry.object_name ?? id;
      return text === '' ? null : { text, path: null };
    }
  }
}
