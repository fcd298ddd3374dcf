import type { StateReason } from '@slipway/contracts';
import { EngineLoadError } from '@slipway/engine';
import { parseRecord, readRefusal } from '../upstream-error.js';
import type { JsonAnswer } from './adapter-server.js';

type Words = (match: RegExpExecArray) => readonly [StateReason, string];

/** What servers say of an adapter, and what their operators should change. In order: the first that matches counts. */
const KNOWN: readonly (readonly [said: RegExp, words: Words])[] = [
  [
    /rank (\d+) is greater than max_lora_rank (\d+)/i,
    ([, rank, most]) => [
      'adapter_mismatch',
      `The adapter has rank ${rank}, and this engine takes at most ${most}: start it with --max-lora-rank ${rank} or more.`,
    ],
  ],
  [
    /incompatible with the current LoRA memory pool|max-lora-rank/i,
    () => [
      'adapter_mismatch',
      "The adapter's rank or modules are more than this engine was started for: raise --max-lora-rank, and name its modules in --lora-target-modules.",
    ],
  ],
  [
    /expected target modules|unsupported LoRA weight|target[_ ]modules/i,
    () => ['adapter_mismatch', 'The adapter changes modules that this engine does not adapt for its model.'],
  ],
  [
    /max[_-]loaded[_-]loras|max[_-](cpu[_-])?loras|maximum number of (pinned|loaded)|slots? (is|are) (full|available)/i,
    () => ['out_of_memory', 'The engine has as many adapters as it takes: raise --max-cpu-loras (vLLM) or --max-loaded-loras (SGLang).'],
  ],
  [
    /lora is not enabled|enable[_-]lora/i,
    () => ['engine_refused', 'The engine takes no adapters: start it with --enable-lora, and with room for their rank.'],
  ],
  [
    /no adapter found|no such file|does not exist|adapter_config\.json|cannot find/i,
    () => [
      'adapter_missing',
      'The engine cannot read the adapter: ADAPTER_EXPORT_DIR must be the same folder, at the same path, for the worker and for the engine.',
    ],
  ],
];

/** The fault that a refused load shows: with the engine's own words where nothing more helpful is known. */
export function loadFault({ status, text }: Pick<JsonAnswer, 'status' | 'text'>): EngineLoadError {
  const body = parseRecord(text);
  const reported = typeof body['error_message'] === 'string' ? body['error_message'] : text;
  if (status === 401 || status === 403) {
    return new EngineLoadError('engine_refused', 'The engine refuses to load adapters with the credential of this deployment.');
  }
  for (const [said, words] of KNOWN) {
    const match = said.exec(reported);
    if (match) return new EngineLoadError(...words(match));
  }
  const { said } = readRefusal({ status, body: { message: reported, ...body }, text, sent: [] });
  return new EngineLoadError(
    'engine_refused',
    `The engine does not load the adapter (status ${status}).${said === '' ? '' : ` It says: ${said}`}`,
  );
}

/** The fault of an answer to a question about stored answers. */
export const scoreFault = ({ status }: Pick<JsonAnswer, 'status'>): EngineLoadError =>
  new EngineLoadError(
    'witness_failed',
    `The engine gives no log probabilities of stored answers (status ${status}), so it cannot be shown that it serves the adapter.`,
  );
