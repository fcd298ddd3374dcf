import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isServiceError } from '@slipway/contracts';
import { countOf } from './bystander.js';

/** Does one thing again and again until `signal` is aborted, and returns what it was answered, in words. */
export type HostileDeed = (signal: AbortSignal) => Promise<readonly string[]>;

/** One thing that a hostile tenant does against the others. */
export interface HostileAct {
  readonly what: string;
  readonly deed: HostileDeed;
  /** Answers that it gets only when it does what it is called: all of them must be among its answers. */
  readonly answered: readonly string[];
}

/** Which deployments a client calls, by slug, and with which key. */
export interface HostileTarget {
  readonly gateway: string;
  readonly key: string;
  readonly path: string;
}

/** Repeats one attempt, so many at once, each with a pause after it, until the signal. What ends later counts as well. */
export async function repeatedly(
  signal: AbortSignal,
  options: { readonly lanes: number; readonly pauseMs: number },
  attempt: () => Promise<string>,
): Promise<string[]> {
  const answers: string[] = [];
  const lane = async (): Promise<void> => {
    while (!signal.aborted) {
      answers.push(await attempt());
      await delay(options.pauseMs);
    }
  };
  await Promise.all(Array.from({ length: options.lanes }, lane));
  return answers;
}

/** A command's own word where it is done, the code of its refusal where it is not. */
export const codeOr = (error: unknown): string => (isServiceError(error) ? error.code : 'failed');

/** What a tenant was answered, counted: `429 × 12, 200 × 3`. */
export const inWords = (answers: readonly string[]): string =>
  Object.entries(countOf(answers))
    .toSorted(([, a], [, b]) => b - a)
    .map(([answer, count]) => `${answer} × ${count}`)
    .join(', ');

/** Bounds a failure alone: an act goes on until what it began is answered. */
const ANSWERED_WITHIN_MS = 60_000;

/** Sends one body as it stands; `none` where it was not answered to the end. */
export async function post(url: string, key: string, body: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(ANSWERED_WITHIN_MS) });
    await response.text();
    return String(response.status);
  } catch {
    return 'none';
  }
}

/** Head of a request to a deployment's chat completions, to be written to a socket. */
export const rawHead = ({ path, key }: HostileTarget, headers: string): string =>
  `POST /${path}/v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n${headers}\r\n`;

/**
 * Keeps so many connections open; one that is closed is opened again after a while. Returns how each ended: the status that
 * it was answered, `closed` without one, `open` until the end. `most N open` tells how many were open at once.
 */
export async function sockets(
  signal: AbortSignal,
  { gateway, count }: { readonly gateway: string; readonly count: number },
  begin: (socket: Socket) => void,
): Promise<string[]> {
  const { hostname, port } = new URL(gateway);
  let [open, most] = [0, 0];
  const answers = await repeatedly(signal, { lanes: count, pauseMs: 250 }, async () => {
    const socket = connect({ host: hostname, port: Number(port) });
    const status = new Promise<string>((resolve) => {
      socket.once('data', (data) => resolve(/^HTTP\/1\.1 (\d+)/.exec(data.toString('latin1'))?.[1] ?? 'none'));
      // One that is reset while it is written to reports more than one error.
      socket.on('error', () => resolve('none'));
      socket.once('close', () => resolve('closed'));
      signal.addEventListener('abort', () => resolve('open'), { once: true });
    });
    socket.once('connect', () => {
      most = Math.max(most, (open += 1));
      socket.once('close', () => (open -= 1));
      begin(socket);
    });
    const answer = await status;
    socket.destroy();
    return answer;
  });
  return [...answers, ...(most >= count * 0.9 ? ['all open at once'] : [])];
}
