import { z } from 'zod';
import { AdapterId, Sha256, TuningName, VersionNumber } from '../tuning/tuning-ids.js';

/** An adapter that a request wants to be served, by its number. */
export const RequestedAdapter = z.object({
  id: AdapterId,
  /** Serves it although its verdict is bad, for this reason; kept in the audit log. */
  override: z.string().trim().min(1).max(500).optional(),
});
export type RequestedAdapter = z.infer<typeof RequestedAdapter>;

/** The adapter of a revision, as lists show it. */
export const DeployedAdapter = z.object({
  id: AdapterId,
  /** Its name and version when the revision was made. */
  name: TuningName,
  version: VersionNumber,
  sha256: Sha256,
});
export type DeployedAdapter = z.infer<typeof DeployedAdapter>;

const Tokens = z.array(z.int().nonnegative()).min(1);

/** One stored answer of the adapter: a replica must give its tokens these log probabilities. */
export const WitnessCheck = z.object({
  prompt: Tokens.max(1_024),
  answer: Tokens.max(256),
  /** One for each token of `answer`. */
  logprobs: z.array(z.number().max(0)).min(1).max(256),
});
export type WitnessCheck = z.infer<typeof WitnessCheck>;

/** All that a worker must know of an adapter to load and to prove it. Holds no ticket: the worker asks for one when it fetches. */
export const ServedAdapter = DeployedAdapter.extend({
  bytes: z.int().nonnegative(),
  /** SHA-256 of the base's whole file. */
  base_sha256: Sha256,
  template_sha256: Sha256,
  tokenizer_sha256: Sha256,
  witness: z.array(WitnessCheck).min(1).max(16),
});
export type ServedAdapter = z.infer<typeof ServedAdapter>;
