import { ServiceError } from '@slipway/contracts';
import { newCallId } from '../call-id.js';
import { isJsonObject } from '../json-object.js';
import type { CallSink } from './tool-calls/call-family.js';
import type { StepEvents } from './step-events.js';

const brokenCall = (): ServiceError => new ServiceError('engine_error', 'The model wrote a call whose arguments are no JSON object.');

/** Numbers the calls of an answer and checks their arguments. White space around calls is left out. */
export class CallEvents implements CallSink {
  #count = 0;
  /** Arguments of the call that is open; null = none is. */
  #open: string | null = null;
  #space = '';
  #blank = true;

  /** @param idLength of ids, where the family's templates take no others. */
  constructor(
    private readonly out: Pick<StepEvents, 'call' | 'args'>,
    private readonly onText: (text: string, last: boolean) => void,
    private readonly idLength: number | undefined,
  ) {}

  /** Calls that have begun. */
  get begun(): number {
    return this.#count;
  }

  /** Calls that are complete. */
  get complete(): number {
    return this.#count - (this.#open === null ? 0 : 1);
  }

  /** White space that comes out only when text follows. */
  get held(): number {
    return this.#space.length;
  }

  text(text: string): void {
    if (this.#blank && text.trim() === '') {
      this.#space += text;
      return;
    }
    this.onText(this.#space + text, false);
    this.#space = '';
    this.#blank = false;
  }

  begin(name: string, id?: string): void {
    this.onText('', true);
    this.#space = '';
    this.#blank = true;
    this.out.call(this.#count, id ?? newCallId(this.idLength), name);
    this.#count += 1;
    this.#open = '';
  }

  args(text: string): void {
    this.#open += text;
    this.out.args(this.#count - 1, text);
  }

  close(): void {
    if (this.#open === '') this.args('{}');
    if (!isJsonObject(this.#open ?? '')) throw brokenCall();
    this.#open = null;
  }

  /**
   * The answer is over.
   * @param cut whether it was cut off by its limit, which may leave a call unfinished.
   * @throws ServiceError `engine_error` for a call that never became one.
   */
  end(cut: boolean): void {
    if (this.#open !== null && !cut) throw brokenCall();
    // An answer of nothing but white space is one.
    if (this.#count === 0 && this.#space !== '') this.onText(this.#space, false);
    this.#space = '';
  }
}
