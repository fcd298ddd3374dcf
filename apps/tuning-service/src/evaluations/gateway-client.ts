import { Inject, Injectable } from '@nestjs/common';
import { type AccountId, type Actor, deploymentSlug, type DeploymentId, isServiceError } from '@slipway/contracts';
import { CONFIG } from '@slipway/platform';
import { z } from 'zod';
import type { TuningServiceConfig } from '../config.js';
import { EvaluationKeys } from './evaluation-keys.js';
import type { Answer } from './grade.js';

/** Longest wait for one answer, in milliseconds. */
const ANSWER_MS = 600_000;
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/** Longest pause that a `retry-after` may ask for, in milliseconds. */
const PAUSE_MAX_MS = 30_000;

const Completion = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: z.string().nullish(),
          tool_calls: z.array(z.object({ function: z.object({ name: z.string(), arguments: z.string() }) })).nullish(),
        }),
      }),
    )
    .min(1),
});
const Failure = z.object({ error: z.object({ code: z.string().nullish(), message: z.string().nullish() }) });

/** A chat request to one deployment. */
export interface Question {
  readonly account: AccountId;
  readonly actor: Actor | undefined;
  readonly deployment: DeploymentId;
  /** Fields of the chat contract besides `model` and `temperature`. */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * What came of a request. `later`: it may be answered when it is repeated. `refused`: it will not be, whoever repeats it, with the code
 * of the inference API.
 */
export type Asked =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'later'; readonly code: string; readonly afterMs: number | null; readonly isBusy: boolean }
  | { readonly kind: 'refused'; readonly code: string };

const BUSY = new Set([408, 429, 503, 529]);

/** Asks deployments over the public inference API, at temperature 0, with the evaluation key of the account. */
@Injectable()
export class GatewayClient {
  readonly #url: string;

  constructor(
    private readonly keys: EvaluationKeys,
    @Inject(CONFIG) { GATEWAY_URL: url }: TuningServiceConfig,
  ) {
    this.#url = url;
  }

  /** @throws what `signal` is aborted with */
  async ask(question: Question, signal: AbortSignal): Promise<Asked> {
    try {
      const key = await this.keys.keyFor(question.account, question.actor);
      const asked = await this.#post(question, key, signal);
      if (asked.kind === 'refused' && asked.code === 'invalid_api_key') this.keys.forget(question.account, key);
      return asked;
    } catch (error) {
      signal.throwIfAborted();
      if (isServiceError(error) && error.code === 'account_not_found') return { kind: 'refused', code: 'invalid_api_key' };
      return { kind: 'later', code: 'unavailable', afterMs: null, isBusy: true };
    }
  }

  async #post({ deployment, body }: Question, key: string, signal: AbortSignal): Promise<Asked> {
    const slug = deploymentSlug(deployment);
    const response = await fetch(new URL(`/${slug}/v1/chat/completions`, this.#url), {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: slug, temperature: 0, ...body }),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    });
    const text = await boundedText(response);
    if (response.ok) return answerOf(text);
    const code = codeOf(text) ?? `http_${response.status}`;
    if (response.status < 500 && !BUSY.has(response.status)) return { kind: 'refused', code };
    return { kind: 'later', code, afterMs: pauseOf(response), isBusy: BUSY.has(response.status) };
  }
}

/** @throws Error for a body that is too long */
async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error('The answer is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function answerOf(text: string): Asked {
  const [choice] = Completion.safeParse(jsonOf(text)).data?.choices ?? [];
  if (!choice) return { kind: 'later', code: 'engine_error', afterMs: null, isBusy: false };
  const { content, tool_calls: calls } = choice.message;
  const answer = { text: content ?? '', calls: (calls ?? []).map((call) => call.function), finish: choice.finish_reason ?? null };
  return { kind: 'answer', answer };
}

const codeOf = (text: string): string | null => Failure.safeParse(jsonOf(text)).data?.error.code ?? null;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function pauseOf({ headers }: Response): number | null {
  const seconds = Number(headers.get('retry-after') ?? 'none');
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1_000, PAUSE_MAX_MS) : null;
}
