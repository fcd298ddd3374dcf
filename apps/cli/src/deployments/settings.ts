import { CreateDeployment } from '@slipway/contracts';
import { Option } from 'commander';
import { DEFAULT, onOff, whole, wholeOr } from '../values.js';

const { context, slots, threads, default_max_tokens, replicas } = CreateDeployment.request.shape;

/** Schema of a number of replicas. */
export const Replicas = replicas;

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
