import { describe } from 'vitest';
import { describeClaudeCode } from '../scenarios/claude-code.js';
import { Company } from '../scenarios/company.js';
import { ensureClientPackages } from '../stage/client-packages.js';

describe('Claude Code in print mode', () => {
  const company = new Company({ kinds: [], backends: ['vllm', 'sglang', 'llama-server', 'ollama'], packages: ensureClientPackages });
  describeClaudeCode(company);
});
