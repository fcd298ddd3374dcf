import { describe } from 'vitest';
import { Company } from '../scenarios/company.js';
import { describeOpencode } from '../scenarios/opencode.js';
import { ensureClientPackages } from '../stage/client-packages.js';

describe('opencode', () => {
  describeOpencode(new Company({ kinds: [], backends: ['vllm'], packages: ensureClientPackages }));
});
