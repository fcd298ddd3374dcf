import { CreateDeployment, RequestedReplicas, TARGET_PERCENT } from '@slipway/contracts';
import { Option } from 'commander';
import { z } from 'zod';
import { UsageError } from '../cli-errors.js';
import { DEFAULT, onOff, whole, wholeOr } from '../values.js';

const { context, slots, threads, default_max_tokens } = CreateDeployment.request.shape;

/** Replicas as they are typed: a number, or `MIN-MAX`. */
export function typedReplicas(text: string): RequestedReplicas {
  const [, min, max] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  if (min !== undefined && max !== undefined) return rangeOf({ min: Number(min), max: Number(max) });
  if (!/^\d{1,15}$/.test(text)) throw new UsageError('It takes a whole number, or a range such as 1-4.');
  return whole(RequestedReplicas)(text);
}

function rangeOf(range: { readonly min: number; readonly max: number }): RequestedReplicas {
  const parsed = RequestedReplicas.safeParse(range);
  if (!parsed.success) throw new UsageError(parsed.error.issues[0]?.message ?? 'It is not valid.');
  return parsed.data;
}

/** Option for the share of the slots that the load should take where replicas are a range. */
export const TARGET = new Option(
  '--target <PERCENT>',
  `share of the slots that requests should take where replicas are a range, 10 to 100 (default: ${TARGET_PERCENT})`,
).argParser(whole(z.int().min(10).max(100)));

/** Replicas with their target. @throws UsageError for a target without a range */
export function replicasWith(replicas: RequestedReplicas | undefined, target: number | undefined): RequestedReplicas | undefined {
  if (target === undefined) return replicas;
  if (typeof replicas !== 'object') throw new UsageError('--target needs replicas as a range, such as 1-4.');
  return { ...replicas, target_percent: target };
}

/** Options for how a model is served. `mayReset`: each also takes the word `default`. */
export const settingOptions = ({ mayReset }: { mayReset: boolean }): Option[] => {
  const read = (schema: typeof context): ((text: string) => number | typeof DEFAULT) =>
    mayReset ? wholeOr(DEFAULT, schema) : whole(schema);
  return [
    new Option('--context <N>', "tokens per sequence (default: the model's own)").argParser(read(context)),
    new Option(
      '--slots <N>',
      'requests served at once by one replica (default: 4, or what the operator set; of an HTTP engine 256)',
    ).argParser(read(slots)),
    new Option('--threads <N>', 'threads of one replica of a model in llama.cpp').argParser(read(threads)),
    new Option('--max-tokens <N>', 'upper bound of answers whose request names none').argParser(read(default_max_tokens)),
    new Option('--store-responses <on|off>', 'whether responses are stored for an hour, for requests that refer to them').argParser(onOff),
  ];
};

/** Values of `settingOptions`. */
export interface SettingValues<Value> {
  readonly context?: Value;
  readonly slots?: Value;
  readonly threads?: Value;
  readonly maxTokens?: Value;
  readonly storeResponses?: boolean;
}

/** The settings that the options name, as services call them, with each value converted. */
export const settingsOf = <Value, Setting>(
  { context, slots, threads, maxTokens, storeResponses }: SettingValues<Value>,
  convert: (value: Value) => Setting,
) => ({
  ...(context !== undefined && { context: convert(context) }),
  ...(slots !== undefined && { slots: convert(slots) }),
  ...(threads !== undefined && { threads: convert(threads) }),
  ...(maxTokens !== undefined && { default_max_tokens: convert(maxTokens) }),
  ...(storeResponses !== undefined && { store_responses: storeResponses }),
});
