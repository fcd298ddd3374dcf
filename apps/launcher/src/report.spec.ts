import type { DeploymentId } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { jsonReport, type Result, textReport } from './report.js';

const RESULT: Result = {
  ...{ baseUrl: 'http://127.0.0.1:8080', gateways: ['http://127.0.0.1:8080'], consoleUrl: 'http://127.0.0.1:8081', setupUrl: null },
  ...{
    natsVersion: '2.14.0',
    deployment: 2 as DeploymentId,
    path: 'local/demo',
    slots: 512,
    embeds: false,
    key: null,
    processes: [],
    seconds: 1,
  },
};

describe('the report of npm start', () => {
  it('names the version of nats-server', () => {
    expect(textReport(RESULT)).toMatch(/^ {2}NATS {7}nats-server 2\.14\.0\n\nTry it:/m);
    expect(JSON.parse(jsonReport(RESULT))).toMatchObject({ nats_version: '2.14.0' });
  });

  it('recommends a newer nats-server', () => {
    expect(textReport({ ...RESULT, natsVersion: '2.10.27' })).toMatch(/nats-server 2\.10\.27\n {13}2\.12\.7 or newer is better/);
  });

  it('shows a request that the deployment answers', () => {
    expect(textReport(RESULT)).toContain('/local/demo/v1/chat/completions');
    const embeds = textReport({ ...RESULT, embeds: true });
    expect(embeds).toContain('/local/demo/v1/embeddings');
    expect(embeds).not.toContain('chat');
  });

  it('shows the slots of a replica', () => {
    expect(textReport(RESULT)).toMatch(/^ {2}Slots {6}512 requests at once .*npx slipway deployments update deployment-2 --slots N$/m);
    expect(textReport({ ...RESULT, slots: null })).not.toContain('Slots');
  });
});
