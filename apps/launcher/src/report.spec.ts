import type { DeploymentId } from '@slipway/contracts';
import { expect, it } from 'vitest';
import { type Result, textReport } from './report.js';

const RESULT: Result = {
  baseUrl: 'http://127.0.0.1:8080',
  gateways: ['http://127.0.0.1:8080'],
  consoleUrl: 'http://127.0.0.1:8081',
  setupUrl: null,
  deployment: 2 as DeploymentId,
  path: 'local/demo',
  slots: 256,
  key: null,
  processes: [],
  seconds: 3,
};

it('a start says how many requests a replica serves at once, and how to change it', () => {
  expect(textReport(RESULT)).toMatch(/^ {2}Slots {6}256 requests at once .*npx slipway deployments update deployment-2 --slots N$/m);
  expect(textReport({ ...RESULT, slots: null })).not.toContain('Slots');
});
