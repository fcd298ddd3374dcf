import { describe } from 'vitest';
import { describeBrokenStreams, describeUnguardedStreams } from '../scenarios/broken-streams.js';
import { Company } from '../scenarios/company.js';
import { describeGoodAnswers } from '../scenarios/good-answers.js';
import { describeRefusals } from '../scenarios/refusals.js';
import { INSTALLED } from '../stage/client-packages.js';
import { OWN_CLIENTS } from '../stage/clients.js';

describe('the official SDKs at llama.cpp and at an HTTP engine', () => {
  const company = new Company({ kinds: OWN_CLIENTS, backends: ['demo', 'vllm'], packages: () => Promise.resolve(INSTALLED) });

  describe('get whole answers', () => {
    describeGoodAnswers(company);
  });
  describe('raise when an upstream breaks', () => {
    describeBrokenStreams(company);
  });
  describe('without Slipway between them and the engine', () => {
    describeUnguardedStreams(company);
  });
  describe('are refused what cannot be answered', () => {
    describeRefusals(company);
  });
});
