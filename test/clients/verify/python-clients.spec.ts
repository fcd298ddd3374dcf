import { describe } from 'vitest';
import { Company } from '../scenarios/company.js';
import { describeExamples } from '../scenarios/documented.js';
import { describeEveryScenario } from '../scenarios/every-scenario.js';
import { PYTHON_CLIENTS } from '../stage/clients.js';
import { examplesIn } from '../stage/documented.js';
import { ensurePythonPackages } from '../stage/python-packages.js';

describe('every Python client of responses', () => {
  const company = new Company({ kinds: PYTHON_CLIENTS, backends: ['demo', 'vllm', 'ollama'], packages: ensurePythonPackages });
  describeEveryScenario(company);
  // The others need packages that are not installed, or another deployment.
  const known = new Set(['agents', 'langchain_openai', 'litellm', 'openai', 'pydantic_ai']);
  const examples = examplesIn('python').filter(
    ({ text, packages }) => packages.every((name) => known.has(name)) && !text.includes('vectors'),
  );
  describe('as the page shows it', () => {
    describeExamples(company, examples);
  });
});
