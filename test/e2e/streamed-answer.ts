import type OpenAI from 'openai';

/** A streamed answer, assembled as by an SDK user. */
export interface StreamedAnswer {
  text: string;
  finish: string | null;
  usage: OpenAI.CompletionUsage | null;
  /** What the SDK raised after the text above, if it did. */
  error: unknown;
}

/** Reads a whole stream through the official SDK. Returns errors, so that tests can check a broken stream. */
export async function streamedAnswer(
  client: OpenAI,
  model: string,
  messages: OpenAI.ChatCompletionMessageParam[],
  onText: (text: string) => void = () => undefined,
): Promise<StreamedAnswer> {
  const answer: StreamedAnswer = { text: '', finish: null, usage: null, error: null };
  try {
    const stream = await client.chat.completions.create({
      model,
      messages,
      temperature: 0,
      stream: true,
      stream_options: { include_usage: true },
    });
    for await (const chunk of stream) take(answer, chunk, onText);
  } catch (error) {
    answer.error = error;
  }
  return answer;
}

function take(answer: StreamedAnswer, chunk: OpenAI.ChatCompletionChunk, onText: (text: string) => void): void {
  const [choice] = chunk.choices;
  if (chunk.usage) answer.usage = chunk.usage;
  if (choice?.finish_reason != null) answer.finish = choice.finish_reason;
  const text = choice?.delta.content ?? '';
  answer.text += text;
  if (text !== '') onText(text);
}
