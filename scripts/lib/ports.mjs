import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

function tryListening(host, port) {
  return new Promise((resolve) => {
    const server = createServer().once('error', (error) => resolve({ error }));
    server.listen(port, host, () => {
      const bound = server.address().port;
      server.close(() => resolve({ port: bound }));
    });
  });
}

// Below the ephemeral ports of outgoing connections. A client could take one of those while its server restarts, and even connect to
// itself.
const LOWEST = 12_000;
const HIGHEST = 29_999;
const TRIES = 200;

/**
 * @returns {Promise<number>} a port of the loopback address that was free and is outside the range of outgoing connections
 */
export async function freePort() {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (!(await tryListening('127.0.0.1', port)).error) return port;
  }
  throw new Error(`No free port was found between ${LOWEST} and ${HIGHEST}.`);
}

/**
 * The system's error code when a port cannot be listened on, such as EADDRINUSE; null when it can.
 * @param {string} host
 * @param {number} port
 * @returns {Promise<string | null>}
 */
export async function portProblem(host, port) {
  const { error } = await tryListening(host, port);
  return error ? (error.code ?? error.message) : null;
}
