import { describe } from 'vitest';
import { itChecks } from '../check-cases.js';

describe('--check', () => {
  itChecks('keys-service', 'deployments-service', 'tuning-service', 'console', 'inference-worker', 'training-worker');
});
