import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { Mismatch } from './check.js';
import type { Target } from './target.js';

type Fetch = typeof globalThis.fetch;

const counted =
  (onRequest: (() => void) | undefined): Fetch =>
  (url, init) => {
    onRequest?.();
    return fetch(url, init);
  };

/** The openai SDK with its defaults. @param onRequest called for each request that it makes */
export const openaiFor = ({ url, key }: Target, onRequest?: () => void): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, fetch: counted(onRequest) });

/** The Anthropic SDK with its defaults. @param onRequest called for each request that it makes */
export const anthropicFor = ({ url, key }: Target, onRequest?: () => void): Anthropic =>
  new Anthropic({ baseURL: url, apiKey: key, authToken: null, fetch: counted(onRequest) });

/** What a call raises. @throws Mismatch when it raises nothing */
export async function raisedBy(call: () => Promise<unknown>): Promise<Error> {
  try {
    await call();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Mismatch('an exception', 'none');
}
