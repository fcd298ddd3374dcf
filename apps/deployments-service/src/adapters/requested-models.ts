import { Injectable } from '@nestjs/common';
import {
  type AccountId,
  type Actor,
  type AdapterId,
  FindAdapter,
  type ModelSource,
  type RequestedAdapter,
  ServeAdapter,
  type ServedAdapter,
  serverOf,
  ServiceError,
} from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import type { z } from 'zod';
import { SourceRules } from '../deployments/source-rules.js';

/** What a request names: a source, or an adapter that brings its base. */
interface Named {
  readonly account: AccountId;
  /** Beside an adapter: the HTTP engine that has its base. */
  readonly source?: ModelSource | undefined;
  readonly adapter?: RequestedAdapter | null | undefined;
  /** The source of the revision before, for an adapter that is named without one; absent = there is none. */
  readonly before?: ModelSource | undefined;
  readonly actor?: Actor | undefined;
}

/** What is asked about before it is requested. */
interface SizedRequest {
  readonly account: AccountId;
  readonly source?: ModelSource | undefined;
  readonly adapter?: AdapterId | undefined;
}

/** A source that is allowed, and the adapter on it. */
export interface NamedModel {
  readonly source: ModelSource;
  readonly adapter: ServedAdapter | null;
}

/** A log probability is told apart by far less than the bound of the witness check; each digit is carried by every assignment. */
const LOGPROB_DIGITS = 5;

const invalid = (message: string): ServiceError => new ServiceError('invalid_request', message, { param: 'adapter' });

/** Finds out what a request wants to be served, by the operator's rules and with tuning-service's word for adapters. */
@Injectable()
export class RequestedModels {
  constructor(
    private readonly rules: SourceRules,
    private readonly rpc: RpcClient,
  ) {}

  /**
   * The model of a new deployment.
   * @throws ServiceError `invalid_request` for none or two; `source_not_allowed`; `adapter_not_found`; `gate_not_passed`;
   *   `unavailable` while tuning-service does not answer
   */
  async first(named: Named): Promise<NamedModel> {
    const { source, adapter } = await this.changed(named);
    if (source) return { source, adapter: adapter ?? null };
    throw new ServiceError('invalid_request', 'Name a source, or an adapter, which brings its base.', { param: 'source' });
  }

  /** What an update changes; absent fields stay. @throws ServiceError as `first` */
  async changed(named: Named): Promise<Partial<NamedModel>> {
    const { source, adapter } = named;
    if (adapter) return this.#served(named, adapter);
    return { ...(source && { source: await this.rules.check(source) }), ...(adapter === null && { adapter }) };
  }

  /**
   * A source, or the base of an adapter, with the bytes that the adapter adds. Serves nothing, whatever the adapter's verdict is.
   * @throws ServiceError as `first`, except for the verdict
   */
  async sized({ account, source, adapter }: SizedRequest): Promise<{ source: ModelSource; adapterBytes: number | null }> {
    if ((source === undefined) === (adapter === undefined)) throw invalid('Name a source, or an adapter, which brings its base.');
    if (source) return { source: await this.rules.check(source), adapterBytes: null };
    const { adapter: found } = await this.rpc.call(FindAdapter, { account, adapter: adapter as AdapterId });
    if (found.base_path === undefined) throw new ServiceError('unavailable', 'tuning-service is older than deployments-service.');
    return { source: await this.rules.check({ kind: 'file', path: found.base_path }), adapterBytes: found.bytes };
  }

  /** @throws ServiceError `adapter_not_found` when the adapter was deleted since a revision named it; `unavailable` */
  async assertThere({ account, actor }: Pick<Named, 'account' | 'actor'>, adapter: AdapterId, rev: number): Promise<void> {
    // Its verdict was accepted when the revision was made.
    await this.rpc.call(ServeAdapter, { account, adapter, actor, override: `Revision ${rev} is served again.` });
  }

  async #served({ account, actor, source: named, before }: Named, { id, override }: RequestedAdapter): Promise<NamedModel> {
    if (named && serverOf(named) === null) throw invalid('An adapter brings its base: name no source beside it but an HTTP engine.');
    // A deployment of an HTTP engine stays there: its base is checked by the stored answers, since its files are elsewhere.
    const engine = named ?? (before && serverOf(before) !== null ? before : undefined);
    const allowed = engine && (await this.rules.check(engine));
    const found = await this.rpc.call(ServeAdapter, { account, adapter: id, override, actor });
    return { source: allowed ?? (await this.rules.check({ kind: 'file', path: found.base_path })), adapter: servedAdapter(found) };
  }
}

function servedAdapter({ adapter: id, witness, base_path: _, ...facts }: z.output<typeof ServeAdapter.reply>): ServedAdapter {
  const rounded = (value: number): number => Number(value.toFixed(LOGPROB_DIGITS));
  const whole = witness.answers.filter(({ answer, adapter }) => answer.length === adapter.length);
  if (whole.length === 0) throw new ServiceError('internal', 'The adapter has no stored answer that a replica could be compared with.');
  return { id, ...facts, witness: whole.map(({ prompt, answer, adapter }) => ({ prompt, answer, logprobs: adapter.map(rounded) })) };
}
