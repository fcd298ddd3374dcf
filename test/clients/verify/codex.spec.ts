import { describe } from 'vitest';
import { describeCodex } from '../scenarios/codex.js';
import { Company } from '../scenarios/company.js';
import { ensureClientPackages } from '../stage/client-packages.js';

describe('Codex', () => {
  describeCodex(new Company({ kinds: [], backends: ['vllm'], packages: ensureClientPackages }));
});
