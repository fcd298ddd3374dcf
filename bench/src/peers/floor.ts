import { fileURLToPath } from 'node:url';
import { CHAT_PATH } from '../ways/way.js';
import type { Peer } from './peer.js';

/**
 * Slipway's shape without its work: an HTTP server, nats-server and one worker, which relay bytes. What it takes is the least that a
 * gateway over NATS in Node.js can take on this machine; what Slipway takes beyond it is its work.
 */
export const floor: Peer = {
  name: 'floor',
  version: 'this',
  does: ['the way over NATS', 'the bytes of a turn, or of 2 ms, in one message'],
  lacks: ['keys', 'limits', 'usage', 'routing by model', 'replay of every token', 'checks of what it relays'],
  files: {},
  install: [],
  start: ({ natsServer, enginePort, port, opsPort }) => ({
    words: [
      process.execPath,
      fileURLToPath(new URL('floor-process.js', import.meta.url)),
      ...[natsServer, String(opsPort), String(enginePort), String(port)],
    ],
  }),
  target: ({ port }) => ({ ports: [port], path: CHAT_PATH, model: 'bench', key: null, keyHeader: 'authorization' }),
};
