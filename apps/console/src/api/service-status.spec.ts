import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AccountId, ListAliases, ListSessionKeys, type RpcContract, ServiceError } from '@slipway/contracts';
import { UnansweredError } from '@slipway/platform';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceStatus } from './service-status.js';

const ACCOUNT = 1 as AccountId;
const silent = (reason: 'absent' | 'timeout' | 'disconnected'): UnansweredError =>
  new UnansweredError(reason, 'subject', new Error(reason));

let gateway: Server;
let url: string;
let time: number;
let asked: number;
let readyStatus: number;
beforeEach(async () => {
  [time, asked, readyStatus] = [0, 0, 200];
  gateway = createServer((request, response) => response.writeHead(request.url === '/readyz' ? readyStatus : 404).end('ok'));
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/`;
});
afterEach(() => gateway.close());

/** A client whose calls fail as given. */
const rpc = (failures: Map<RpcContract, Error> = new Map()): Parameters<ServiceStatus['read']>[0] =>
  ({
    call: (contract: RpcContract) => {
      asked += 1;
      const failure = failures.get(contract);
      return failure ? Promise.reject(failure) : Promise.resolve({});
    },
  }) as never;
const read = (failures?: Map<RpcContract, Error>) => new ServiceStatus(url).read(rpc(failures), ACCOUNT);

describe('the status of the services', () => {
  it('is good when all of them answer', async () => {
    expect(await read()).toMatchObject({ nats: true, keys: true, deployments: true, gateways: true });
    expect(await read(new Map([[ListAliases, new ServiceError('session_ended', 'Over.')]]))).toMatchObject({ deployments: true });
  });

  it.each([
    [ListSessionKeys, silent('absent'), { nats: true, keys: false, deployments: true }],
    [ListAliases, silent('timeout'), { nats: true, keys: true, deployments: false }],
    [ListAliases, new ServiceError('unavailable', 'The database does not answer.'), { keys: true, deployments: false }],
    [ListSessionKeys, silent('disconnected'), { nats: false, keys: false }],
  ])('names the part that does not, case %#', async (contract, failure, expected) => {
    expect(await read(new Map<RpcContract, Error>([[contract, failure]]))).toMatchObject(expected);
  });

  it('counts gateways that are not ready as absent', async () => {
    readyStatus = 503;
    expect(await read()).toMatchObject({ gateways: false, keys: true });
    await new Promise((resolve) => gateway.close(resolve));
    expect(await read()).toMatchObject({ gateways: false });
  });

  it('is observed once in five seconds for everyone', async () => {
    const status = new ServiceStatus(url, () => time);
    const first = await Promise.all([status.read(rpc(), ACCOUNT), status.read(rpc(), ACCOUNT)]);
    expect([first[0], asked]).toEqual([first[1], 2]);
    time = 4_999;
    expect(await status.read(rpc(), ACCOUNT)).toBe(first[0]);
    time = 5_000;
    await status.read(rpc(), ACCOUNT);
    expect(asked).toBe(4);
  });
});
