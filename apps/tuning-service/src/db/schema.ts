import type { ServiceDatabase } from '@slipway/database';
import { Datasets1770000000000 } from './migrations/1770000000000-datasets.js';
import { Jobs1770000100000 } from './migrations/1770000100000-jobs.js';
import { AdapterImports1770000200000 } from './migrations/1770000200000-adapter-imports.js';
import { ImportPrompts1770000400000 } from './migrations/1770000400000-import-prompts.js';
import { JobMemory1770000500000 } from './migrations/1770000500000-job-memory.js';
import { MetricMargin1770000600000 } from './migrations/1770000600000-metric-margin.js';
import { Evaluations1770000700000 } from './migrations/1770000700000-evaluations.js';
import { Splits1770000300000 } from './migrations/1770000300000-splits.js';

/** The service's database and its migrations. No release of it was without a migrations table. */
export const tuningDatabase: ServiceDatabase = {
  name: 'tuning',
  applicationName: 'slipway-tuning',
  entities: [],
  migrations: [
    Datasets1770000000000,
    Jobs1770000100000,
    AdapterImports1770000200000,
    Splits1770000300000,
    ImportPrompts1770000400000,
    JobMemory1770000500000,
    MetricMargin1770000600000,
    Evaluations1770000700000,
  ],
  strays: { schemas: [], relations: [] },
};
