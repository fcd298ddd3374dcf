export type { ReceiverCounters } from './gateway/receiver-counters.js';
export { StreamReceiver } from './gateway/stream-receiver.js';
export type { StreamReceiverOptions } from './gateway/stream-receiver.js';
export { DEFAULT_STREAM_SETTINGS } from './stream-settings.js';
export type { StreamSettings } from './stream-settings.js';
export type {
  Abortable,
  Admission,
  Generation,
  GenerationResult,
  OpenStream,
  Refusal,
  StartOrigin,
  StreamRequest,
  StreamSink,
  StreamWriter,
  UnreadStart,
  WorkerChooser,
  WorkerLoad,
} from './types.js';
export type { SenderCounters } from './worker/load-reporter.js';
export { StreamSender } from './worker/stream-sender.js';
export type { StreamSenderOptions } from './worker/stream-sender.js';
