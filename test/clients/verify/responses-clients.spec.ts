import { describe } from 'vitest';
import { Company } from '../scenarios/company.js';
import { describeEveryScenario } from '../scenarios/every-scenario.js';
import { ensureClientPackages } from '../stage/client-packages.js';
import { RESPONSES_CLIENTS } from '../stage/clients.js';

describe('every client of responses', () => {
  const company = new Company({ kinds: RESPONSES_CLIENTS, backends: ['demo', 'vllm', 'ollama'], packages: ensureClientPackages });
  describeEveryScenario(company);
});
