import { join } from 'node:path';
import { CHAT_PATH } from '../ways/way.js';
import type { Peer } from './peer.js';

/** Newer versions of hono than it was made with fail its streams ("Headers immutable"). */
const PACKAGE = {
  name: 'peer',
  private: true,
  dependencies: { '@portkey-ai/gateway': '1.15.2' },
  overrides: { hono: '4.9.7', '@hono/node-server': '1.13.8' },
};

/** Portkey's gateway, written in TypeScript. */
export const portkey: Peer = {
  name: 'portkey',
  version: '1.15.2',
  does: ['routing by headers'],
  lacks: ['keys', 'limits', 'usage'],
  files: { 'package.json': `${JSON.stringify(PACKAGE, null, 2)}\n` },
  install: [['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error']],
  start: ({ installed, port, enginePort }) => ({
    words: [
      process.execPath,
      join(installed, 'node_modules/@portkey-ai/gateway/build/start-server.js'),
      ...[`--port=${port}`, '--headless'],
    ],
    environment: { NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: `127.0.0.1,127.0.0.1:${enginePort}` },
  }),
  target: ({ port, enginePort }) => ({
    ...{ ports: [port] as const, path: CHAT_PATH, model: 'bench', key: 'any', keyHeader: 'authorization' },
    headers: { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `http://127.0.0.1:${enginePort}/v1` },
  }),
};
