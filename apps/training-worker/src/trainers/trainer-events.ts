import { StringDecoder } from 'node:string_decoder';
import { z } from 'zod';

const step = z.int().nonnegative();
/** A trainer writes NaN as null. */
const loss = z.number().nullable();
/** Below the folder of the run. */
const path = z
  .string()
  .max(1_024)
  .regex(/^(?!\/)(?!.*(^|\/)\.\.(\/|$)).+$/, 'must be a path below the folder of the run');

/** What a trainer writes to file descriptor 3, as one JSON object per line. */
export const TrainerEvent = z.discriminatedUnion('ev', [
  /** The model is loaded and training begins. `loss` = that of the first answer of the data on the base; absent = the first step has it. */
  z.object({ ev: z.literal('ready'), loss: loss.optional() }),
  /** One optimizer step. `loss` is that of this step alone, null where it is not a number. */
  z.object({
    ev: z.literal('step'),
    step,
    epoch: z.number().nonnegative(),
    loss,
    lr: z.number().optional(),
    grad: z.number().optional(),
    tokens: z.int().optional(),
    /** Of `dpo`: how far the chosen answers are ahead of the rejected ones, and the share of pairs where they are. */
    margin: z.number().nullable().optional(),
    accuracy: z.number().nullable().optional(),
  }),
  /** The held-out examples after a step. */
  z.object({ ev: z.literal('eval'), step, loss, accuracy: z.number().nullable().optional() }),
  /** A complete checkpoint. `path` = the folder to continue from, `adapter` = its adapter, where that can be served: GGUF, or a folder in the form of PEFT. */
  z.object({ ev: z.literal('checkpoint'), step, path, adapter: path.optional() }),
  /** The finished adapter. */
  z.object({ ev: z.literal('saved'), path }),
  z.object({ ev: z.literal('failed'), code: z.string().max(64), message: z.string().max(2_000) }),
]);
export type TrainerEvent = z.infer<typeof TrainerEvent>;

/** Longest line that is read, in characters. */
const LINE_CHARS = 16_384;

/** Cuts the output of a trainer into events. Lines that are too long or no events are counted and dropped. */
export class TrainerEventReader {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';
  #isTooLong = false;
  #unread = 0;

  constructor(private readonly onEvent: (event: TrainerEvent) => void) {}

  /** Lines that were no events. */
  get unread(): number {
    return this.#unread;
  }

  push(chunk: Buffer): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n');
    const open = lines.pop() ?? '';
    for (const line of lines) {
      this.#take(line);
      this.#isTooLong = false;
    }
    if (open.length > LINE_CHARS) this.#isTooLong = true;
    this.#rest = this.#isTooLong ? '' : open;
  }

  #take(line: string): void {
    if (line.trim() === '') return;
    const event = this.#isTooLong || line.length > LINE_CHARS ? undefined : parse(line);
    if (event) this.onEvent(event);
    else this.#unread += 1;
  }
}

function parse(line: string): TrainerEvent | undefined {
  try {
    return TrainerEvent.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
