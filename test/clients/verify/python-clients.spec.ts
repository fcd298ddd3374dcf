import { describe } from 'vitest';
import { Company } from '../scenarios/company.js';
import { describeEveryScenario } from '../scenarios/every-scenario.js';
import { PYTHON_CLIENTS } from '../stage/clients.js';
import { ensurePythonPackages } from '../stage/python-packages.js';

describe('every Python client of responses', () => {
  const company = new Company({ kinds: PYTHON_CLIENTS, backends: ['demo', 'vllm', 'ollama'], packages: ensurePythonPackages });
  describeEveryScenario(company);
});
