import { type CanonicalRequest, type ContentPart, textOf } from '@slipway/contracts';

/** What an image takes in a prompt, roughly: a few hundred tokens in the models of today. */
export const IMAGE_TOKENS = 512;

/** Every text of a conversation: what people, models and tools said. Tools' definitions and images are not among it. */
export function* textsOf({ messages }: CanonicalRequest): Generator<string> {
  for (const message of messages) {
    yield textOf(message);
    if (message.role !== 'assistant') continue;
    if (message.reasoning !== undefined) yield message.reasoning;
    for (const { name, arguments: args } of message.tool_calls ?? []) {
      yield name;
      yield args;
    }
  }
}

/** UTF-8 bytes of everything that the prompt is made of, images aside. */
export function promptBytes(request: CanonicalRequest): number {
  let bytes = request.tools === undefined ? 0 : Buffer.byteLength(JSON.stringify(request.tools));
  for (const text of textsOf(request)) bytes += Buffer.byteLength(text);
  return bytes;
}

/** How large a request is and what bounds its answer: what stays of one whose text went elsewhere. */
export interface RequestFacts {
  /** UTF-8 bytes of everything that the prompt is made of, images aside. */
  readonly promptBytes: number;
  readonly images: number;
  /** Tokens of an answer; undefined = the deployment's default, null = the room left in the context. */
  readonly maxTokens: number | null | undefined;
  /** Answers that it asks for. */
  readonly choices: number;
}

/** The facts of a request at hand, each computed when it is asked for: most are not. */
export class LazyFacts implements RequestFacts {
  #promptBytes: number | undefined;
  #images: number | undefined;

  constructor(private readonly request: CanonicalRequest) {}

  get promptBytes(): number {
    return (this.#promptBytes ??= promptBytes(this.request));
  }

  get images(): number {
    return (this.#images ??= imagesOf(this.request));
  }

  get maxTokens(): number | null | undefined {
    return this.request.max_tokens ?? (this.request.fills_context ? null : undefined);
  }

  get choices(): number {
    return this.request.n ?? 1;
  }
}

/** The facts of a request as plain values, which can leave a thread. */
export function factsOf(request: CanonicalRequest): RequestFacts {
  const { promptBytes: bytes, images, maxTokens, choices } = new LazyFacts(request);
  return { promptBytes: bytes, images, maxTokens, choices };
}

function imagesOf({ messages }: CanonicalRequest): number {
  let images = 0;
  for (const { content } of messages) images += content.filter(({ type }: ContentPart) => type === 'image').length;
  return images;
}

/** About four bytes make a token; used where a server does not count. */
export const estimateTokens = ({ promptBytes: bytes, images }: Pick<RequestFacts, 'promptBytes' | 'images'>): number =>
  Math.ceil(bytes / 4) + images * IMAGE_TOKENS;
