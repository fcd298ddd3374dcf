import { describe } from 'vitest';
import { BUILD_MS, buildLlamaServer, canBuild } from '../../engines/verify/llama-server.js';
import { Company } from '../scenarios/company.js';
import { describeGoodAnswers } from '../scenarios/good-answers.js';
import { ensureClientPackages } from '../stage/client-packages.js';
import { ALL_CLIENTS } from '../stage/clients.js';

describe.skipIf(!canBuild())('every client at a real llama-server', () => {
  const packages = async (): ReturnType<typeof ensureClientPackages> => {
    await buildLlamaServer();
    return ensureClientPackages();
  };
  const company = new Company({ kinds: ALL_CLIENTS, backends: ['real-llama-server'], packages, startMs: BUILD_MS });
  describeGoodAnswers(company);
});
