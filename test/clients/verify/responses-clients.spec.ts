import { describe } from 'vitest';
import { describeBrokenStreams } from '../scenarios/broken-streams.js';
import { describeChanges } from '../scenarios/changes.js';
import { Company } from '../scenarios/company.js';
import { describeGoodAnswers } from '../scenarios/good-answers.js';
import { describeRefusals } from '../scenarios/refusals.js';
import { ensureClientPackages } from '../stage/client-packages.js';
import { RESPONSES_CLIENTS } from '../stage/clients.js';

describe('every client of responses', () => {
  const company = new Company({ kinds: RESPONSES_CLIENTS, backends: ['demo', 'vllm', 'ollama'], packages: ensureClientPackages });

  describe('gets whole answers', () => {
    describeGoodAnswers(company);
  });
  describe('raises when an upstream breaks', () => {
    describeBrokenStreams(company);
  });
  describe('is refused what cannot be answered', () => {
    describeRefusals(company);
  });
  describe('meets changes', () => {
    describeChanges(company);
  });
});
