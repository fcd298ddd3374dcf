import { describe } from 'vitest';
import { describeBrokenStreams } from './broken-streams.js';
import { describeChanges } from './changes.js';
import type { Company } from './company.js';
import { describeGoodAnswers } from './good-answers.js';
import { describeRefusals } from './refusals.js';

/** Everything that clients do at deployments, and what they make of it. */
export function describeEveryScenario(company: Company): void {
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
}
