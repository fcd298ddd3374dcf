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

/** @returns {Promise<number>} a port of the loopback address that was free a moment ago */
export async function freePort() {
  const { port, error } = await tryListening('127.0.0.1', 0);
  if (error) throw error;
  return port;
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
