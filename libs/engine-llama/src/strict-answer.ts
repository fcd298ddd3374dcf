import { ServiceError, type StreamEvent } from '@slipway/contracts';
import type { StrictCheck } from './answer-grammar.js';

interface Written {
  readonly name: string;
  args: string;
}

/**
 * Holds back the end of one choice until the answer has been checked against the strict schemas that its grammar does not enforce.
 * An answer that ends by a limit or a stop string is not checked, because its finish reason says that it is incomplete.
 */
export class StrictAnswer {
  #text = '';
  readonly #calls: Written[] = [];
  #end: Extract<StreamEvent, { k: 'fin' }> | null = null;

  /**
   * @param faultOf fault of a text by a schema; null = none.
   * @param isHeld whether the whole answer followed its grammar.
   */
  constructor(
    private readonly checks: readonly StrictCheck[],
    private readonly faultOf: (schema: unknown, text: string) => Promise<string | null>,
    private readonly isHeld: () => boolean,
    private readonly emit: (events: readonly StreamEvent[]) => void,
  ) {}

  readonly take = (events: readonly StreamEvent[]): void => {
    for (const event of events) this.#note(event);
    const others = events.filter(({ k }) => k !== 'fin');
    if (others.length > 0) this.emit(others);
  };

  /** Releases the end. @throws ServiceError `engine_error` for an answer that violates its schema. */
  async finish(): Promise<void> {
    if (!this.#end) return;
    if (this.#end.r === 'stop' || this.#end.r === 'tool_calls') await this.#check();
    this.emit([this.#end]);
  }

  #note(event: StreamEvent): void {
    if (event.k === 'text') this.#text += event.x;
    else if (event.k === 'call') this.#calls.push({ name: event.name, args: '' });
    else if (event.k === 'args') (this.#calls.at(-1) ?? { args: '' }).args += event.x;
    else if (event.k === 'fin') this.#end = event;
  }

  async #check(): Promise<void> {
    const isHeld = this.isHeld();
    for (const { schema, tool, field } of this.checks.filter(({ held }) => !held || !isHeld)) {
      const texts = tool === null ? this.#texts() : this.#calls.filter(({ name }) => name === tool).map(({ args }) => args);
      for (const text of texts) {
        const fault = await this.faultOf(schema, text);
        if (fault !== null) throw new ServiceError('engine_error', `The answer violates the schema of ${field}: ${fault}`);
      }
    }
  }

  /** The text of the answer, without calls. */
  #texts(): readonly string[] {
    return this.#calls.length > 0 ? [] : [this.#text];
  }
}
