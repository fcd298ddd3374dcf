import { describe } from 'vitest';
import { Company } from '../scenarios/company.js';
import { describeExamples } from '../scenarios/documented.js';
import { describeEveryScenario } from '../scenarios/every-scenario.js';
import { ensureClientPackages } from '../stage/client-packages.js';
import { RESPONSES_CLIENTS } from '../stage/clients.js';
import { examplesIn } from '../stage/documented.js';

describe('every client of responses', () => {
  const company = new Company({ kinds: RESPONSES_CLIENTS, backends: ['demo', 'vllm', 'ollama'], packages: ensureClientPackages });
  describeEveryScenario(company);
  describe('as the page shows it', () => {
    // One shows what a page in a browser says.
    describeExamples(
      company,
      examplesIn('ts').filter(({ packages }) => packages.length > 0),
    );
  });
});
