import { ServiceError } from '@slipway/contracts';
import { JinjaTemplate } from './jinja/jinja-template.js';
import { type TemplateMessage, mergedMessages, textArguments } from './template-messages.js';

/** Strings of the model that templates may print. */
export interface TemplateTokens {
  readonly bos: string;
  readonly eos: string;
}

/** A function as templates know it. */
export interface TemplateTool {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly description?: string; readonly parameters: unknown };
}

/** What a prompt is rendered from. */
export interface TemplateInput {
  readonly messages: readonly TemplateMessage[];
  readonly tools?: readonly TemplateTool[];
  /** Variables of the template beside those that all templates have. */
  readonly args?: Readonly<Record<string, string | number | boolean>>;
  /** The last message is an assistant's, and the answer goes on in it. */
  readonly continues?: boolean;
}

/** ChatML, which most models without a template of their own can follow at least roughly. */
const FALLBACK_SOURCE = `{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`;
const FALLBACK_ENDS = ['<|im_end|>', '<|im_start|>'];
/** Stands where an open message ends; noncharacters, which no honest text has. */
const OPEN_END = '\uFDEF\uFDEE\uFDEF\uFDEE';

/** Templates are part of the model, yet their wording goes to clients: one short line. */
const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : 'unknown failure').replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, 200);

/** A chat template that is no template. The message is one sentence for the owner of the model. */
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
   * Renders a conversation up to where the answer begins. When the template refuses it, it is tried again as peers do: with
   * the arguments of calls as text, with system text in the first user turn, and with turns of one role joined.
   * @throws ServiceError `invalid_value` when the template refuses all of that; `unsupported_parameter` when it does not
   * leave the last message open.
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

  /** The same without further tries. @throws TemplateError where the template refuses the conversation. */
  renderAsGiven({ messages, tools, args, continues = false }: TemplateInput): string {
    const { bos, eos } = this.tokens;
    const rendered = this.template.render({
      ...args,
      messages: continues ? openedLast(messages) : messages,
      ...(tools && { tools }),
      ...(this.#takesFunctions && { functions: JSON.stringify(tools ?? []), datetime: new Date().toUTCString() }),
      add_generation_prompt: !continues,
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
