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

// Below the ports that systems give to outgoing connections. One of those could be taken by a client while
// its server is away for a moment, even by the client that wants to reach that server: it then connects to itself.
const LOWEST = 12_000;
const HIGHEST = 29_999;
const TRIES = 200;

/**
 * @returns {Promise<number>} a port of the loopback address that was free a moment ago and that no outgoing
 *   connection will take
 */
export async function freePort() {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (!(await tryListening('127.0.0.1', port)).error) return port;
  }
  throw new Error(`No free port was found between ${LOWEST} and ${HIGHEST}.`);
}

/**
 * Why a port cannot be listened on: the system's code, such as EADDRINUSE, or null when it can.
 * @param {string} host
 * @param {number} port
 * @returns {Promise<string | null>}
 */
export async function portProblem(host, port) {
  const { error } = await tryListening(host, port);
  return error ? (error.code ?? error.message) : null;
}
