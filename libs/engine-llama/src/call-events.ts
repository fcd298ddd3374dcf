import { ServiceError } from '@slipway/contracts';
import { isJsonObject, newCallId } from '@slipway/engine';
import type { CallSink } from './tool-calls/call-family.js';
import type { StepEvents } from './step-events.js';

const brokenCall = (): ServiceError => new ServiceError('engine_error', 'The model wrote a call whose arguments are not a JSON object.');
const brokenList = (): ServiceError => new ServiceError('engine_error', 'The model wrote a list of calls with something else in it.');

/** Rules for the calls of an answer. */
export interface CallRules {
  /** Length of call ids, where the family's templates take one length only. */
  readonly idLength: number | undefined;
  /** Whether the answer ends after the first call. */
  readonly single: boolean;
}

/** Numbers the calls of an answer and checks their arguments. Drops white space around calls. */
export class CallEvents implements CallSink {
  #count = 0;
  /** Arguments of the open call; null = none is open. */
  #open: string | null = null;
  #space = '';
  #blank = true;
  #broken = false;

  constructor(
    private readonly out: Pick<StepEvents, 'call' | 'args'>,
    private readonly onText: (text: string, last: boolean) => void,
    private readonly rules: CallRules,
  ) {}

  /** Number of begun calls. */
  get begun(): number {
    return this.#count;
  }

  /** Number of complete calls. */
  get complete(): number {
    return this.#count - (this.#open === null ? 0 : 1);
  }

  /** Characters of white space that are held until text follows. */
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
   * Ends the answer.
   * @param cut whether the limit ended it, which may leave a call incomplete.
   * @throws ServiceError `engine_error` for an incomplete call.
   */
  end(cut: boolean): void {
    if (this.#open !== null && !cut) throw brokenCall();
    if (this.#broken && !cut) throw brokenList();
    // An answer may be white space alone.
    if (this.#count === 0 && this.#space !== '') this.onText(this.#space, false);
    this.#space = '';
  }

  get #full(): boolean {
    return this.rules.single && this.complete === 1;
  }
}
