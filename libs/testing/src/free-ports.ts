import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Below the ports that systems give to outgoing connections. One of those could be taken by a client while
// its server is being restarted, even by the client that wants to reach that server: it then connects to itself.
const LOWEST = 12_000;
const HIGHEST = 29_999;
const TRIES_EACH = 200;

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/** Different free ports of the loopback address, outside the range of outgoing connections. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  for (let tried = 0; found.size < count; tried += 1) {
    if (tried > count * TRIES_EACH) throw new Error(`There are no ${count} free ports between ${LOWEST} and ${HIGHEST}.`);
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (!found.has(port) && (await isFree(port))) found.add(port);
  }
  return [...found];
}
