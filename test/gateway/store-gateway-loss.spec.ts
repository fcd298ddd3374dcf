import { once } from 'node:events';
import { request } from 'node:http';
import { ResponseStore, valueStoreName } from '@slipway/contracts';
import { headers, type NatsConnection } from '@slipway/platform';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayProcess } from './gateway-process.js';
import { ENV, GatewayRig, until } from './gateway-rig.js';

const STREAM = valueStoreName(ResponseStore, ENV);

/** A store that has nothing and confirms nothing. @returns the subjects that were written */
function silentStore(nats: NatsConnection): string[] {
  const written: string[] = [];
  const none = headers(404, 'Message Not Found');
  const notFound = JSON.stringify({ error: { code: 404, err_code: 10_037, description: 'no message found' } });
  nats.subscribe(`$JS.API.DIRECT.GET.${STREAM}.>`, { callback: (_, message) => void message.respond('', { headers: none }) });
  nats.subscribe(`$JS.API.STREAM.MSG.GET.${STREAM}`, { callback: (_, message) => void message.respond(notFound) });
  nats.subscribe(`$KV.${ResponseStore.name}_${ENV}.>`, { callback: (_, message) => void written.push(message.subject) });
  return written;
}

describe('a gateway that dies between the end of an answer and its storing', () => {
  let rig: GatewayRig;
  let gateway: GatewayProcess | undefined;

  beforeEach(async () => {
    rig = await GatewayRig.start();
  });
  afterEach(async () => {
    await gateway?.end();
    await rig.end();
  });

  it('leaves its client an answer without an end, and nothing behind', async () => {
    const written = silentStore(await rig.connect('store'));
    const account = rig.account();
    const key = rig.key(account.id).value;
    const deployment = rig.deployment(account.id, { store: true });
    await rig.runner({ dep: deployment.id });
    gateway = await GatewayProcess.start({ url: rig.server.url });
    const other = await rig.gateway();
    await rig.whenAnswering(other, deployment, key);
    await rig.whenAnswering({ ...other, url: `http://127.0.0.1:${gateway.port}` }, deployment, key);

    const path = `/deployment-${deployment.id}/v1/responses`;
    const fields = { 'x-api-key': key, 'content-type': 'application/json' };
    const call = request({ host: '127.0.0.1', port: gateway.port, path, method: 'POST', headers: fields });
    call.end(JSON.stringify({ model: `deployment-${deployment.id}`, input: 'one two three', stream: true }));
    const [response] = (await once(call, 'response')) as [import('node:http').IncomingMessage];
    let text = '';
    response.on('data', (piece: Buffer) => (text += piece.toString()));
    const broken = new Promise<boolean>((resolve) => {
      response.once('close', () => resolve(!response.complete));
      response.once('error', () => undefined);
    });
    await until('the gateway stores the answer', () => written.length > 0);
    await until('every token is sent', () => text.includes('response.output_item.done'));
    expect(text).toContain('"text":"one two three"');
    expect(text).not.toContain('response.completed');
    process.kill(gateway.pid, 'SIGKILL');
    expect(await broken).toBe(true);

    const id = /"id":"(resp_[^"]+)"/.exec(text)?.[1];
    const body = JSON.stringify({ model: `deployment-${deployment.id}`, input: 'x', previous_response_id: id });
    const next = await fetch(`${other.url}${path}`, { method: 'POST', headers: fields, body });
    expect([next.status, await next.text()]).toEqual([400, expect.stringContaining('previous_response_not_found')]);
  });
});
