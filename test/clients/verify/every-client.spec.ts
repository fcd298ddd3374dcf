import { describe } from 'vitest';
import { describeChanges } from '../scenarios/changes.js';
import { Company } from '../scenarios/company.js';
import { describeBrokenStreams, describeUnguardedStreams } from '../scenarios/broken-streams.js';
import { describeGoodAnswers } from '../scenarios/good-answers.js';
import { describeRefusals } from '../scenarios/refusals.js';
import { ensureClientPackages } from '../stage/client-packages.js';
import { ALL_CLIENTS } from '../stage/clients.js';

describe('every client at every kind of engine', () => {
  const company = new Company({
    kinds: ALL_CLIENTS,
    backends: ['demo', 'vllm', 'sglang', 'llama-server', 'ollama'],
    packages: ensureClientPackages,
  });

  describe('gets whole answers', () => {
    describeGoodAnswers(company);
  });
  describe('raises when an upstream breaks', () => {
    describeBrokenStreams(company);
  });
  describe('without Slipway between them and the engine', () => {
    describeUnguardedStreams(company);
  });
  describe('is refused what cannot be answered', () => {
    describeRefusals(company);
  });
  describe('meets changes', () => {
    describeChanges(company);
  });
});
