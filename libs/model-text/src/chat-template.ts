import { ServiceError } from '@slipway/contracts';
import { JinjaTemplate } from './jinja/jinja-template.js';
import { type TemplateMessage, mergedMessages, textArguments } from './template-messages.js';

/** Token texts of the model that templates may print. */
export interface TemplateTokens {
  readonly bos: string;
  readonly eos: string;
}

/** A tool in the form of chat templates. */
export interface TemplateTool {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly description?: string; readonly parameters: unknown };
}

/** Input of a chat template. */
export interface TemplateInput {
  readonly messages: readonly TemplateMessage[];
  readonly tools?: readonly TemplateTool[];
  /** Further variables of the template. */
  readonly args?: Readonly<Record<string, string | number | boolean>>;
  /** True = the answer continues the last message, which is an assistant's. */
  readonly continues?: boolean;
  /** True = the conversation is complete: no answer is begun after it. */
  readonly complete?: boolean;
}

/** ChatML, which most models without a template can follow roughly. */
const FALLBACK_SOURCE = `{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`;
const FALLBACK_ENDS = ['<|im_end|>', '<|im_start|>'];
/** Marks the end of an open message. Unicode noncharacters, which valid text does not contain. */
const OPEN_END = '\uFDEF\uFDEE\uFDEF\uFDEE';

/** Message of a template's error for clients: one short line. */
const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : 'unknown failure').replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, 200);

/** An invalid chat template. The message is one sentence for the owner of the model. */
export class ChatTemplateError extends Error {
  override readonly name = 'ChatTemplateError';
}

/** A model's chat template, parsed once. */
export class ChatTemplate {
  private constructor(
    private readonly template: JinjaTemplate,
    private readonly tokens: TemplateTokens,
    readonly source: string,
    /** Texts that end an answer beside the model's own end tokens. */
    readonly ends: readonly string[],
  ) {}

  /** Whether the template joins tools to its text under the name `functions`, as that of Firefunction does. */
  get #takesFunctions(): boolean {
    return this.source.includes('+ functions -');
  }

  /**
   * @param source Jinja source of the GGUF. Without one the template is ChatML, whose end marks then end an
   * answer even where they are no control tokens of the model.
   * @throws ChatTemplateError when it cannot be parsed.
   */
  static parse(source: string | undefined, tokens: TemplateTokens): ChatTemplate {
    const text = source ?? FALLBACK_SOURCE;
    try {
      return new ChatTemplate(new JinjaTemplate(text), tokens, text, source === undefined ? FALLBACK_ENDS : []);
    } catch (error) {
      throw new ChatTemplateError(`The model's chat template cannot be read: ${reasonOf(error)}`, { cause: error });
    }
  }

  /**
   * Renders a conversation up to the beginning of the answer. When the template refuses it, other forms are tried, as in other
   * servers: arguments of calls as text, system text in the first user turn, and joined turns of one role.
   * @throws ServiceError `invalid_value` when the template refuses all forms; `unsupported_parameter` when it cannot leave the last
   * message open.
   */
  render(input: TemplateInput): string {
    const { messages } = input;
    const ways = [
      (): readonly TemplateMessage[] => messages,
      () => textArguments(messages),
      () => mergedMessages(messages),
      () => textArguments(mergedMessages(messages)),
    ];
    let refusal: unknown;
    for (const way of ways) {
      try {
        return this.renderAsGiven({ ...input, messages: way() });
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        refusal ??= error;
      }
    }
    const message = `The model's chat template refuses these messages: ${reasonOf(refusal)}`;
    throw new ServiceError('invalid_value', message, { param: 'messages', cause: refusal });
  }

  /** Renders one form only. @throws TemplateError when the template refuses the conversation. */
  renderAsGiven({ messages, tools, args, continues = false, complete = false }: TemplateInput): string {
    const { bos, eos } = this.tokens;
    const rendered = this.template.render({
      ...args,
      messages: continues ? openedLast(messages) : messages,
      ...(tools && { tools }),
      ...(this.#takesFunctions && { functions: JSON.stringify(tools ?? []), datetime: new Date().toUTCString() }),
      add_generation_prompt: !continues && !complete,
      bos_token: bos,
      eos_token: eos,
    });
    return continues ? cutAtOpenEnd(rendered) : rendered;
  }
}

function openedLast(messages: readonly TemplateMessage[]): TemplateMessage[] {
  return messages.map((message, i) => (i === messages.length - 1 ? { ...message, content: message.content + OPEN_END } : message));
}

function cutAtOpenEnd(rendered: string): string {
  const end = rendered.lastIndexOf(OPEN_END);
  if (end >= 0) return rendered.slice(0, end);
  throw new ServiceError('unsupported_parameter', 'This model’s chat template cannot leave the last message open.', {
    param: 'continue_final_message',
  });
}
