import { booleanOf, idOf, integerOf, listOf, textOf, wordOf } from './url-state/codec.js';
import { rangeSearch } from './url-state/range-search.js';
import { bothOf, fieldsOf } from './url-state/search-codec.js';
import { tableSearch } from './url-state/table-search.js';

/* The state that each screen keeps in its address. Apart from the screens, so that the router checks addresses without loading them. */

export const DEPLOYMENTS_SEARCH = tableSearch({ facets: ['status', 'engine', 'model'], sort: 'name' });

export const DEPLOYMENT_TABS = ['overview', 'metrics', 'logs', 'revisions', 'settings'] as const;
export type DeploymentTab = (typeof DEPLOYMENT_TABS)[number];
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export const DEPLOYMENT_SEARCH = bothOf(
  bothOf(
    fieldsOf<{ tab: DeploymentTab; diff: number }>({ tab: wordOf(DEPLOYMENT_TABS, 'overview'), diff: integerOf(0, 0, 1_000_000) }),
    fieldsOf<{ q: string; level: (typeof LOG_LEVELS)[number]; host: string; wrap: boolean; tail: boolean }>({
      q: textOf(),
      level: wordOf(LOG_LEVELS, 'debug'),
      host: textOf(),
      wrap: booleanOf(true),
      tail: booleanOf(true),
    }),
  ),
  rangeSearch('1h', true),
);

/** Beside that of the deployment, whose tab it is on. */
export const REVISIONS_SEARCH = tableSearch({ prefix: 'rev-' });

export const CREATE_STEPS = ['source', 'model', 'size', 'name'] as const;
export type CreateStep = (typeof CREATE_STEPS)[number];
export const CREATE_SEARCH = fieldsOf<{ step: CreateStep; like: number }>({
  step: wordOf(CREATE_STEPS, 'source'),
  /** Number of a deployment whose settings are taken; 0 = none. */
  like: integerOf(0, 0, 2_147_483_647),
});

export const KEYS_TABS = ['keys', 'mcp'] as const;
export const API_KEYS_SEARCH = bothOf(
  fieldsOf<{ tab: (typeof KEYS_TABS)[number]; create: boolean }>({ tab: wordOf(KEYS_TABS, 'keys'), create: booleanOf() }),
  tableSearch({ facets: ['state', 'owner', 'access'], sort: 'created', dir: 'desc' }),
);

export const MCP_TOOLS_SEARCH = tableSearch({ prefix: 'tools-', facets: ['effect'], sort: 'name' });
export const MCP_CALLS_SEARCH = tableSearch({ prefix: 'calls-' });

export const KEY_TABS = ['usage', 'limits', 'audit'] as const;
export const KEY_SEARCH = bothOf(fieldsOf<{ tab: (typeof KEY_TABS)[number] }>({ tab: wordOf(KEY_TABS, 'usage') }), rangeSearch('30d'));

export const USAGE_VIEWS = ['tokens', 'requests', 'speed'] as const;
export const USAGE_MEASURES = ['ttft', 'duration', 'rate'] as const;
export const USAGE_SPLITS = ['none', 'deployment', 'key', 'alias', 'api', 'status'] as const;
/** Filters hold numbers of deployments and keys, and words of the ledger. */
export const USAGE_SEARCH = bothOf(
  fieldsOf<{
    view: (typeof USAGE_VIEWS)[number];
    measure: (typeof USAGE_MEASURES)[number];
    by: (typeof USAGE_SPLITS)[number];
    deployment: readonly string[];
    key: readonly string[];
    alias: readonly string[];
    api: readonly string[];
    status: readonly string[];
    member: readonly string[];
  }>({
    view: wordOf(USAGE_VIEWS, 'requests'),
    measure: wordOf(USAGE_MEASURES, 'ttft'),
    by: wordOf(USAGE_SPLITS, 'deployment'),
    deployment: listOf(textOf()),
    key: listOf(textOf()),
    alias: listOf(textOf()),
    api: listOf(textOf()),
    status: listOf(textOf()),
    member: listOf(textOf()),
  }),
  rangeSearch('7d'),
);

export const USAGE_PARTS_SEARCH = tableSearch({ prefix: 'parts-', sort: 'requests', dir: 'desc', size: '25' });
export const USAGE_REFUSED_SEARCH = tableSearch({ prefix: 'refused-', facets: ['code'], sort: 'requests', dir: 'desc', size: '25' });

export const MEMBERS_SEARCH = tableSearch({ facets: ['role'], sort: 'name' });
export const INVITED_SEARCH = tableSearch({ prefix: 'invited-', facets: ['role'], sort: 'created', dir: 'desc' });
export const PROFILE_SEARCH = tableSearch({ prefix: 'sessions-', sort: 'used', dir: 'desc' });

export const ACTIVITY_TABS = ['account', 'deployments', 'tuning'] as const;
export const ACTIVITY_SEARCH = bothOf(
  fieldsOf<{ tab: (typeof ACTIVITY_TABS)[number]; actor: string; action: string; object: string; open: number }>({
    tab: wordOf(ACTIVITY_TABS, 'account'),
    actor: textOf(),
    action: textOf(),
    object: textOf(),
    /** Number of the entry whose details are open; 0 = none. */
    open: integerOf(0, 0, Number.MAX_SAFE_INTEGER),
  }),
  rangeSearch('90d'),
);
export const ENTRIES_SEARCH = tableSearch({ prefix: 'entries-' });

export const MODELS_SEARCH = tableSearch({ facets: ['source', 'host'], sort: 'name' });

export const DATA_SETS_SEARCH = tableSearch({ facets: ['state', 'kind'], sort: 'changed', dir: 'desc' });

export const DATA_SET_TABS = ['examples', 'problems', 'statistics', 'uses'] as const;
export type DataSetTab = (typeof DATA_SET_TABS)[number];
/** Numbers of versions: 0 = the newest one, and for `diff` none. */
export const DATA_SET_SEARCH = bothOf(
  fieldsOf<{ tab: DataSetTab | 'auto'; v: number; diff: number; upload: string; base: string }>({
    /** `auto`: the examples, or the problems of a version that cannot be used. */
    tab: wordOf([...DATA_SET_TABS, 'auto'], 'auto'),
    v: integerOf(0, 0, 1_000_000),
    diff: integerOf(0, 0, 1_000_000),
    /** The upload that is under way. */
    upload: idOf(''),
    base: textOf(),
  }),
  fieldsOf<{ from: number; q: string; rule: string; min: number; raw: boolean }>({
    from: integerOf(1, 1, 1_000_000_000),
    q: textOf(),
    rule: idOf(''),
    min: integerOf(0, 0, 1_000_000_000),
    raw: booleanOf(),
  }),
);
/** Beside that of the data set, whose tabs they are on. */
export const PROBLEMS_SEARCH = tableSearch({ prefix: 'problems-', facets: ['rule', 'severity'], sort: 'line', size: '25' });
export const USES_SEARCH = tableSearch({ prefix: 'uses-' });

export const FINE_TUNING_TABS = ['jobs', 'adapters'] as const;
export const FINE_TUNING_SEARCH = bothOf(
  fieldsOf<{ tab: (typeof FINE_TUNING_TABS)[number] }>({ tab: wordOf(FINE_TUNING_TABS, 'jobs') }),
  tableSearch({ facets: ['state', 'base', 'dataset'], sort: 'created', dir: 'desc' }),
);
export const ADAPTERS_SEARCH = tableSearch({
  prefix: 'adapters-',
  facets: ['verdict', 'base', 'dataset'],
  sort: 'created',
  dir: 'desc',
});
/** What a new job begins with. `again`: number of a job whose settings are taken; 0 = none. */
export const NEW_JOB_SEARCH = fieldsOf<{ dataset: string; version: number; base: string; again: number }>({
  dataset: textOf(),
  version: integerOf(0, 0, 1_000_000),
  base: textOf(),
  again: integerOf(0, 0, 2_147_483_647),
});
export const JOB_TABS = ['progress', 'answers', 'events', 'log', 'settings'] as const;
export type JobTab = (typeof JOB_TABS)[number];
export const JOB_SEARCH = fieldsOf<{ tab: JobTab }>({ tab: wordOf(JOB_TABS, 'progress') });
export const CHECKPOINTS_SEARCH = tableSearch({ prefix: 'checkpoints-', sort: 'step', dir: 'desc' });

export const EVALUATION_TABS = ['evaluations', 'suites'] as const;
export const EVALUATIONS_SEARCH = bothOf(
  fieldsOf<{ tab: (typeof EVALUATION_TABS)[number] }>({ tab: wordOf(EVALUATION_TABS, 'evaluations') }),
  tableSearch({ facets: ['state', 'suite'], sort: 'created', dir: 'desc' }),
);
export const SUITE_LIST_SEARCH = tableSearch({ prefix: 'suites-', sort: 'name', dir: 'asc' });

export const PLAYGROUND_SEARCH = fieldsOf<{ deployment: string; beside: string }>({ deployment: textOf(), beside: textOf() });

export const SETTINGS_TABS = ['general', 'limits'] as const;
export const SETTINGS_SEARCH = fieldsOf<{ tab: (typeof SETTINGS_TABS)[number] }>({ tab: wordOf(SETTINGS_TABS, 'general') });
