import { AdapterId, type ServedAdapter } from '@slipway/contracts';
import { sha256Of } from './scripted-tuning.js';

/** An adapter for scripted engines: it has a witness, and files of the right names that hold no real numbers. */
export interface UntrainedAdapter {
  readonly facts: ServedAdapter;
  /** Stands for its GGUF form, whose hash is its name. */
  readonly content: Buffer;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly weights: Buffer;
  /** Its PEFT form as tuning-service stores it. */
  readonly peft: Buffer;
}

const BLOCK = 512;
const HASH = '0'.repeat(64);

function tarOf(files: ReadonlyMap<string, Buffer>): Buffer {
  const parts = [...files].flatMap(([name, bytes]) => {
    const header = Buffer.alloc(BLOCK);
    header.write(name, 0, 'latin1');
    header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
    header.write('0', 156);
    header.write('ustar\x0000', 257, 'latin1');
    return [header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

/** @param id decides its witness, so that no two are alike */
export function untrainedAdapter(id: number, { rank = 8 } = {}): UntrainedAdapter {
  const [content, weights] = [Buffer.from(`adapter ${id}`), Buffer.from(`weights ${id}`)];
  const config = Buffer.from(JSON.stringify({ peft_type: 'LORA', r: rank, lora_alpha: 16, base_model_name_or_path: 'elsewhere' }));
  const witness = [0, 1, 2].map((nth) => ({
    prompt: [1, id, nth, 7],
    answer: [10 + id, 11 + nth, 2],
    logprobs: [-0.1 - nth / 50, -0.2, -0.3],
  }));
  const files = new Map([
    ['adapter_config.json', config],
    ['adapter_model.safetensors', weights],
  ]);
  const named = { id: AdapterId.parse(id), name: 'support', version: id, sha256: sha256Of(content), bytes: content.length, witness };
  return {
    facts: { ...named, base_sha256: HASH, template_sha256: HASH, tokenizer_sha256: HASH },
    ...{ content, files, weights, peft: tarOf(files) },
  };
}
