import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { freePorts } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProductGround } from './product-ground.js';

const run = promisify(execFile);

/** Revokes the spare key that a path names. */
async function startRevoker(product: ProductGround): Promise<Server> {
  const server = createServer((request, response) => void product.revoke((request.url ?? '').slice(1)).then(() => response.end()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('npm run conformance at a whole Slipway', () => {
  let product: ProductGround;
  let revoker: Server;
  let port: number;

  beforeAll(async () => {
    [port = 0] = await freePorts(1);
    product = await ProductGround.start(`http://127.0.0.1:${port}`);
    revoker = await startRevoker(product);
  });
  afterAll(async () => {
    revoker?.close();
    await product?.end();
  });

  it('passes every case of every contract, and runs all of them', async () => {
    const { target, others, spareKeys } = await product.addresses();
    const revoke = `${process.execPath} -e "fetch('http://127.0.0.1:${(revoker.address() as AddressInfo).port}/' + process.env.SPARE_KEY)"`;
    const args = [
      ...['scripts/conformance.mjs', '--target', target.url, '--key', target.key, '--engine-port', String(port), '--revoke', revoke],
      ...Object.entries(others).flatMap(([name, { url, model }]) => ['--also', `${name}=${url}#${model}`]),
      ...spareKeys.flatMap((key) => ['--spare-key', key]),
    ];
    const { stdout } = await run(process.execPath, args).catch((error: unknown) => error as { stdout: string });
    expect(stdout).toMatch(/^all +\d+ cases: \d+ passed, 0 failed, 0 not run$/m);
    expect(stdout).not.toContain(target.key);
  });
});
