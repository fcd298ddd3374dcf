import { connectNats, createLogger } from '@slipway/platform';
import { Pool } from 'undici';

interface Question {
  readonly id: number;
  readonly natsUrl: string;
  readonly upstreamPort: number;
}

const NOTHING = new Uint8Array(0);

/** The least that a worker can be: what the upstream sends goes on as it comes, a message for each piece. */
async function serve({ id, natsUrl, upstreamPort }: Question): Promise<void> {
  const nats = await connectNats({ url: natsUrl, role: 'worker', name: 'bare-worker', log: createLogger('bare-worker', 'silent') });
  const upstream = new Pool(`http://127.0.0.1:${upstreamPort}`, { connections: 1_024, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
  nats.subscribe('bare.start', {
    callback: (_error, { data, reply = '' }) => {
      upstream.dispatch(
        { method: 'POST', path: '/v1/chat/completions', headers: { 'content-type': 'application/json' }, body: data },
        {
          onRequestStart: () => undefined,
          onResponseStart: () => undefined,
          onResponseData: (_controller, piece) => nats.publish(reply, piece),
          onResponseEnd: () => nats.publish(reply, NOTHING),
          onResponseError: () => nats.publish(reply, NOTHING),
        },
      );
    },
  });
  await nats.flush();
  process.send?.({ id, ready: true });
}

process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));
process.on('message', (question: Question) => void serve(question));
process.send?.({ ready: true });
