import { Controller, Inject, Injectable, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { defineRpc, ServiceError } from '@slipway/contracts';
import { CONFIG, defineService, natsFragment, serviceFragment } from '@slipway/platform';
import { RpcHandler } from '@slipway/platform/service';
import { z } from 'zod';

export const CountWords = defineRpc({
  subject: 'words.{env}.v1.rpc.count-words',
  owner: 'keys',
  callers: ['ops'],
  queue: 'words',
  request: z.object({ text: z.string() }),
  reply: z.object({ words: z.int() }),
  errors: ['request_too_large'],
  timeoutMs: 2_000,
});

const WordsConfig = z.object({ ...serviceFragment, ...natsFragment, WORDS_MAX: z.coerce.number().int().min(1).default(1_000) });

@Injectable()
class WordCounter {
  readonly #most: number;

  constructor(@Inject(CONFIG) { WORDS_MAX: most }: z.infer<typeof WordsConfig>) {
    this.#most = most;
  }

  /** @throws ServiceError `request_too_large` for more than WORDS_MAX words */
  count(text: string): number {
    const words = text.split(/\s+/).filter((word) => word !== '').length;
    if (words > this.#most) throw new ServiceError('request_too_large', `Send at most ${this.#most} words.`, { param: 'text' });
    return words;
  }
}

@Controller()
class WordsHandlers {
  constructor(private readonly counter: WordCounter) {}

  @RpcHandler(CountWords)
  count(@Payload() { text }: z.output<typeof CountWords.request>): { words: number } {
    return { words: this.counter.count(text) };
  }
}

@Module({ controllers: [WordsHandlers], providers: [WordCounter] })
class WordsModule {}

export const wordsService = defineService({ name: 'words-service', role: 'keys', config: WordsConfig, module: WordsModule, rpc: {} });
