import { ServiceError, type StreamEvent } from '@slipway/contracts';
import type { StrictCheck } from './answer-grammar.js';

interface Written {
  readonly name: string;
  args: string;
}

/**
 * Holds the end of one choice back until the whole answer was checked against the strict schemas that its grammar does not hold. What is cut off by a limit or a stop text is not checked: it says itself that it is not whole.
 */
export class StrictAnswer {
  #text = '';
  readonly #calls: Written[] = [];
  #end: Extract<StreamEvent, { k: 'fin' }> | null = null;

  /**
   * @param faultOf what is wrong with a text by a schema; null = nothing.
   * @param isHeld whether the answer followed its grammar from its beginning to its end.
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

  /** Lets the end go. @throws ServiceError `engine_error` for an answer that breaks its schema. */
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
        if (fault !== null) throw new ServiceError('engine_error', `The answer breaks the schema that ${field} asks to be kept: ${fault}`);
      }
    }
  }

  /** The text of the answer, where it is no call. */
  #texts(): readonly string[] {
    return this.#calls.length > 0 ? [] : [this.#text];
  }
}
