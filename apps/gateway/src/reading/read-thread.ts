import { parentPort } from 'node:worker_threads';
import { stepBack } from '@slipway/platform';
import { readChatRequest } from '../surfaces/chat/request.js';
import { readEmbeddingsRequest } from '../surfaces/embeddings/request.js';
import { readCountRequest, readMessagesRequest } from '../surfaces/messages/request.js';
import { namesIn } from '../stored/references.js';
import { readResponsesRequest } from '../surfaces/responses/request.js';
import type { BodyReading, ReaderName } from '../surfaces/surface.js';
import { readInThread, type ReadOutcome, type ReadTask } from './request-reader.js';

stepBack();

/** The body readers by name. Every thread loads them, so nothing else of a contract is imported here. */
const READERS: Readonly<Record<ReaderName, Pick<BodyReading, 'read' | 'namesIn'>>> = {
  chat: { read: readChatRequest },
  messages: { read: readMessagesRequest },
  responses: { read: readResponsesRequest, namesIn },
  embeddings: { read: readEmbeddingsRequest },
  count: { read: readCountRequest },
};

/** Thread entry: reads one body per message, so that large ones do not block the event loop of the main thread. */
parentPort?.on('message', (task: ReadTask) => {
  const outcome: ReadOutcome = Object.hasOwn(READERS, task.reader)
    ? readInThread(task, READERS[task.reader as keyof typeof READERS])
    : { kind: 'failed', asked: null, reason: 'There is no such reader.' };
  const canonical = outcome.kind === 'read' && outcome.request.canonical;
  parentPort?.postMessage({ outcome }, canonical instanceof Uint8Array ? [canonical.buffer as ArrayBuffer] : []);
});
parentPort?.postMessage({ ready: true });
