import { Template } from '@huggingface/jinja';
import { ServiceError } from '@slipway/contracts';
import { EngineLoadError } from '../engine.js';

/** A message as chat templates know it. */
export interface TemplateMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly name?: string;
}

/** Strings of the model that templates may print. */
export interface TemplateTokens {
  readonly bos: string;
  readonly eos: string;
}

/** ChatML, which most models without a template of their own can follow at least roughly. */
const FALLBACK_SOURCE = `{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`;
const FALLBACK_ENDS = ['<|im_end|>', '<|im_start|>'];

/** Templates are part of the model, yet their wording goes to clients: one short line. */
const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : 'unknown failure').replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, 200);

/** For templates without a system role, or ones that insist on alternating turns. */
function merged(messages: readonly TemplateMessage[]): TemplateMessage[] {
  const system = messages.filter((message) => message.role === 'system').map((message) => message.content);
  const turns: TemplateMessage[] = [];
  const rest = messages.filter((message) => message.role !== 'system');
  if (rest[0]?.role !== 'user' && system.length > 0) rest.unshift({ role: 'user', content: '' });
  for (const [i, message] of rest.entries()) {
    const content = i === 0 ? [...system, message.content].filter((text) => text !== '').join('\n\n') : message.content;
    const before = turns.at(-1);
    if (before?.role === message.role) turns[turns.length - 1] = { ...before, content: `${before.content}\n\n${content}` };
    else turns.push({ ...message, content });
  }
  return turns;
}

/** A model's chat template, parsed once. */
export class ChatTemplate {
  private constructor(
    private readonly template: Template,
    private readonly tokens: TemplateTokens,
    /** Texts that end an answer beside the model's own end tokens. */
    readonly ends: readonly string[],
  ) {}

  /**
   * @param source Jinja source of the GGUF. Without one the template is ChatML, whose end marks then end an
   * answer even where they are no control tokens of the model.
   * @throws EngineLoadError `model_invalid` when it cannot be parsed.
   */
  static parse(source: string | undefined, tokens: TemplateTokens): ChatTemplate {
    try {
      return new ChatTemplate(new Template(source ?? FALLBACK_SOURCE), tokens, source === undefined ? FALLBACK_ENDS : []);
    } catch (error) {
      throw new EngineLoadError('model_invalid', `The model's chat template cannot be read: ${reasonOf(error)}`, { cause: error });
    }
  }

  /**
   * Renders a conversation up to where the answer begins. When the template refuses it, once more with system
   * text in the first user turn and turns of one role joined, as peers do.
   * @throws ServiceError `invalid_value` when the template refuses that too.
   */
  render(messages: readonly TemplateMessage[]): string {
    try {
      return this.#render(messages);
    } catch (refusal) {
      try {
        return this.#render(merged(messages));
      } catch {
        const message = `The model's chat template refuses these messages: ${reasonOf(refusal)}`;
        throw new ServiceError('invalid_value', message, { param: 'messages', cause: refusal });
      }
    }
  }

  #render(messages: readonly TemplateMessage[]): string {
    const { bos, eos } = this.tokens;
    return this.template.render({ messages, add_generation_prompt: true, bos_token: bos, eos_token: eos });
  }
}
