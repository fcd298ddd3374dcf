import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { TrainingFault } from '../training-fault.js';
import type { LoraAdapter, LoraMatrix, LoraPair } from './lora-gguf.js';
import { readSafetensors, writeSafetensors } from './safetensors.js';

/** Matrices by their names in GGUF and in the model classes of transformers. */
const MODULES: readonly (readonly [gguf: string, hf: string])[] = [
  ['attn_q', 'self_attn.q_proj'],
  ['attn_k', 'self_attn.k_proj'],
  ['attn_v', 'self_attn.v_proj'],
  ['attn_output', 'self_attn.o_proj'],
  ['ffn_gate', 'mlp.gate_proj'],
  ['ffn_up', 'mlp.up_proj'],
  ['ffn_down', 'mlp.down_proj'],
];
const GGUF_NAME = /^blk\.(?<layer>\d+)\.(?<module>[a-z_]+)$/;
const PEFT_NAME = /^base_model\.model\.model\.layers\.(?<layer>\d+)\.(?<module>[a-z_.]+)\.lora_(?<half>[AB])\.weight$/;

/** Names of the two files of the PEFT form. */
export const PEFT_FILES = { weights: 'adapter_model.safetensors', config: 'adapter_config.json' } as const;

const RANK_MAX = 256;
/** What an adapter may hold beside its matrices, empty or off. */
const Off = z.union([z.literal(false), z.null(), z.record(z.string(), z.never()), z.array(z.never())]).optional();
const Config = z.looseObject({
  peft_type: z.string().optional(),
  r: z.int().min(1),
  lora_alpha: z.number().positive(),
  bias: z.string().optional(),
  ...{ use_rslora: Off, use_dora: Off, modules_to_save: Off, rank_pattern: Off, alpha_pattern: Off, fan_in_fan_out: Off },
});

/**
 * Architectures whose matrices have the same order of rows in both forms. Others, such as llama, have those of attention reordered
 * in GGUF.
 */
const SAME_ORDER = ['qwen2', 'qwen3', 'gemma', 'gemma2', 'gemma3'];

const unknownModule = (name: string): TrainingFault =>
  new TrainingFault('adapter_mismatch', `The adapter changes "${name}", which has no name in the other form.`);

/** Modules that an adapter changes, as the last part of their names in transformers. */
const targetsOf = (pairs: readonly LoraPair[]): string[] =>
  [...new Set(pairs.map(({ tensor }) => hfName(tensor).split('.').at(-1) ?? ''))].toSorted();

function hfName(tensor: string): string {
  const { layer, module } = GGUF_NAME.exec(tensor)?.groups ?? {};
  const hf = MODULES.find(([gguf]) => gguf === module)?.[1];
  if (layer === undefined || hf === undefined) throw unknownModule(tensor);
  return `${layer}.${hf}`;
}

/**
 * Writes the PEFT form of an adapter: safetensors and its configuration.
 * @param base name of the base for people and for PEFT's loader
 * @throws TrainingFault `adapter_mismatch` for matrices that PEFT has no name for
 */
export async function writePeft(folder: string, adapter: LoraAdapter, base: string): Promise<void> {
  const tensors = adapter.pairs.flatMap(({ tensor, a, b }) => {
    const name = `base_model.model.model.layers.${hfName(tensor)}`;
    return [[`${name}.lora_A.weight`, a] as const, [`${name}.lora_B.weight`, b] as const];
  });
  const config = {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: base,
    r: adapter.rank,
    lora_alpha: adapter.alpha,
    lora_dropout: 0,
    bias: 'none',
    target_modules: targetsOf(adapter.pairs),
    fan_in_fan_out: false,
    inference_mode: true,
    init_lora_weights: true,
    modules_to_save: null,
    use_dora: false,
    use_rslora: false,
  };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, PEFT_FILES.weights), writeSafetensors(new Map(tensors)));
  await writeFile(join(folder, PEFT_FILES.config), `${JSON.stringify(config, null, 2)}\n`);
}

/**
 * Reads the PEFT form of an adapter.
 * @param architecture of its base, as GGUF names it: the PEFT form does not say
 * @throws TrainingFault `adapter_mismatch` for files that are none, or that hold more than LoRA
 */
export async function readPeft(folder: string, architecture: string): Promise<LoraAdapter> {
  const config = await readConfig(join(folder, PEFT_FILES.config));
  if (!SAME_ORDER.includes(architecture)) {
    const message = `Adapters in the form of PEFT are taken for ${SAME_ORDER.join(', ')}, not for ${architecture}. Convert it to GGUF.`;
    throw new TrainingFault('adapter_mismatch', message);
  }
  const halves = new Map<string, { a?: LoraMatrix; b?: LoraMatrix }>();
  for (const [name, matrix] of readSafetensors(await readFile(join(folder, PEFT_FILES.weights)))) {
    const { layer, module, half } = PEFT_NAME.exec(name)?.groups ?? {};
    const gguf = MODULES.find(([, hf]) => hf === module)?.[0];
    if (layer === undefined || gguf === undefined) throw unknownModule(name);
    const tensor = `blk.${layer}.${gguf}`;
    halves.set(tensor, { ...halves.get(tensor), [half === 'A' ? 'a' : 'b']: matrix });
  }
  const pairs = [...halves].map(([tensor, { a, b }]) => {
    if (!a || !b || a.rows !== config.r || b.columns !== config.r) {
      throw new TrainingFault('adapter_mismatch', `The matrices of "${tensor}" do not fit the rank ${config.r}.`);
    }
    return { tensor, a, b };
  });
  return { architecture, alpha: config.lora_alpha, rank: config.r, pairs };
}

async function readConfig(path: string): Promise<z.output<typeof Config>> {
  const text = await readFile(path, 'utf8');
  const parsed = Config.safeParse(parse(text));
  if (!parsed.success) {
    const [field] = parsed.error.issues[0]?.path ?? [];
    const what = field === undefined ? 'is no JSON object' : `has a "${String(field)}" that cannot be served`;
    throw new TrainingFault(
      'adapter_mismatch',
      `${PEFT_FILES.config} ${what}: plain LoRA is taken, without DoRA, rank patterns and biases.`,
    );
  }
  const { peft_type: type = 'LORA', bias = 'none', r } = parsed.data;
  if (type !== 'LORA') throw new TrainingFault('adapter_mismatch', `The adapter is a ${type.slice(0, 32)}; LoRA is taken.`);
  if (bias !== 'none') throw new TrainingFault('adapter_mismatch', 'The adapter changes biases, which no engine here serves.');
  if (r > RANK_MAX) throw new TrainingFault('adapter_mismatch', `The adapter has rank ${r}; at most ${RANK_MAX} is allowed.`);
  return parsed.data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
