import { ServiceError } from '@slipway/contracts';
import { isJsonObject, newCallId } from '@slipway/engine';
import type { CallSink } from './tool-calls/call-family.js';
import type { StepEvents } from './step-events.js';

const brokenCall = (): ServiceError => new ServiceError('engine_error', 'The model wrote a call whose arguments are no JSON object.');
const brokenList = (): ServiceError => new ServiceError('engine_error', 'The model wrote a list of calls with something else in it.');

/** What calls an answer may hold. */
export interface CallRules {
  /** Length of ids, where the family's templates take no others. */
  readonly idLength: number | undefined;
  /** Nothing behind the first call is part of the answer. */
  readonly single: boolean;
}

/** Numbers the calls of an answer and checks their arguments. White space around calls is left out. */
export class CallEvents implements CallSink {
  #count = 0;
  /** Arguments of the call that is open; null = none is. */
  #open: string | null = null;
  #space = '';
  #blank = true;
  #broken = false;

  constructor(
    private readonly out: Pick<StepEvents, 'call' | 'args'>,
    private readonly onText: (text: string, last: boolean) => void,
    private readonly rules: CallRules,
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
    if (this.#full) return;
    if (this.#blank && text.trim() === '') {
      this.#space += text;
      return;
    }
    this.onText(this.#space + text, false);
    this.#space = '';
    this.#blank = false;
  }

  begin(name: string, id?: string): void {
    if (this.#full) return;
    this.onText('', true);
    this.#space = '';
    this.#blank = true;
    this.out.call(this.#count, id ?? newCallId(this.rules.idLength), name);
    this.#count += 1;
    this.#open = '';
  }

  args(text: string): void {
    if (this.#full) return;
    this.#open += text;
    this.out.args(this.#count - 1, text);
  }

  close(): void {
    if (this.#full) return;
    if (this.#open === '') this.args('{}');
    if (!isJsonObject(this.#open ?? '')) throw brokenCall();
    this.#open = null;
  }

  broken(): void {
    this.#broken ||= !this.#full;
  }

  /**
   * The answer is over.
   * @param cut whether it was cut off by its limit, which may leave a call unfinished.
   * @throws ServiceError `engine_error` for a call that never became one.
   */
  end(cut: boolean): void {
    if (this.#open !== null && !cut) throw brokenCall();
    if (this.#broken && !cut) throw brokenList();
    // An answer of nothing but white space is one.
    if (this.#count === 0 && this.#space !== '') this.onText(this.#space, false);
    this.#space = '';
  }

  get #full(): boolean {
    return this.rules.single && this.complete === 1;
  }
}
