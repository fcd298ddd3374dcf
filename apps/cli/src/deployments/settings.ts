import { CreateDeployment } from '@slipway/contracts';
import type { OptionSpecs } from '../command.js';
import { DEFAULT, type OptionValues } from '../option-values.js';

const { context, slots, threads, default_max_tokens, replicas } = CreateDeployment.request.shape;

/** How a model is served. */
export const SETTING_OPTIONS = {
  context: { value: 'N', about: "tokens per sequence (the model's own)" },
  slots: { value: 'N', about: 'requests served at once by one replica (4, or what the operator set; of an HTTP engine 256)' },
  threads: { value: 'N', about: 'threads of one replica of a model in llama.cpp' },
  'max-tokens': { value: 'N', about: 'upper bound of answers whose request names none' },
} as const satisfies OptionSpecs;

export const DEFAULT_REMARK = `--context, --slots, --threads and --max-tokens also take the word "${DEFAULT}", which takes a setting back.`;

/** Schema of a number of replicas. */
export const Replicas = replicas;

const withoutAbsent = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> };

/** The settings that the options name. @throws UsageError when one is out of its range */
export const settingsOf = (options: OptionValues) =>
  withoutAbsent({
    context: options.whole('context', context),
    slots: options.whole('slots', slots),
    threads: options.whole('threads', threads),
    default_max_tokens: options.whole('max-tokens', default_max_tokens),
  });

/** The same, null where the word `default` takes one back. */
export const settingChangesOf = (options: OptionValues) =>
  withoutAbsent({
    context: options.wholeOrDefault('context', context),
    slots: options.wholeOrDefault('slots', slots),
    threads: options.wholeOrDefault('threads', threads),
    default_max_tokens: options.wholeOrDefault('max-tokens', default_max_tokens),
  });
