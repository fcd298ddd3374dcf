import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Progress } from '../../../scripts/lib/progress.mjs';
import { endRunningCommands } from '../../../scripts/lib/run-command.mjs';
import { StartError } from '../../../scripts/lib/start-error.mjs';
import type { BringUpSetup, FromThread, SentError, ToThread } from './bring-up-messages.js';
import { bringUp, prepare, rememberReported, reportOf } from './launch.js';
import type { Processes } from './launch-context.js';

const port = parentPort as MessagePort;
const { stage, dataDir, since } = workerData as BringUpSetup;
const send = (message: FromThread): void => port.postMessage(message);

const started: { name: string; pid: number }[] = [];
const processes: Processes = { start: (spec) => send({ k: 'start', spec }), running: () => [...started] };
const aborting = new AbortController();
let reported: (written: boolean) => void = () => undefined;
const written = new Promise<boolean>((resolve) => {
  reported = resolve;
});

port.on('message', (message: ToThread) => {
  if (message.k === 'started') started.push({ name: message.name, pid: message.pid });
  else if (message.k === 'reported') reported(message.written);
  else {
    aborting.abort();
    endRunningCommands();
    reported(false);
  }
});

function sentError(error: unknown): SentError {
  if (!(error instanceof Error)) return { isExpected: false, message: String(error) };
  const { message, stack, cause } = error;
  return { isExpected: error instanceof StartError, message, stack, cause: cause instanceof Error ? cause.message : undefined };
}

try {
  const progress = new Progress((text: string) => send({ k: 'note', text: text.replace(/\n$/, '') }));
  const context = await prepare({ stage: { ...stage, progress }, dataDir, processes, signal: aborting.signal });
  const result = await bringUp(context, since);
  send({ k: 'up', report: reportOf(context, result) });
  if (await written) await rememberReported(context, result);
} catch (error) {
  send({ k: 'failed', error: sentError(error) });
} finally {
  port.close();
}
