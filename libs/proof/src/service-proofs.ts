import { CONFIG, LOG, type Logger, NATS, type NatsConnection, type Resource, type ServiceConfig } from '@slipway/platform';
import { Registry } from '@slipway/platform/metrics';
import { FollowedProofs } from './followed-proofs.js';
import { ProofReader } from './proof-reader.js';
import { refusalCounter } from './refusals.js';
import { type RefusedCall, RpcGate } from './rpc-gate.js';

type Provider = NonNullable<Resource['providers']>[number];

/** Notes refused calls; neither waits nor throws. */
export interface RefusalAudit {
  take(refusal: RefusedCall): void;
}

/**
 * Provides the `RpcGate` of a service, which counts and logs what it refuses. The service must also provide a
 * `ProofReader`, such as that of `followedProofs`.
 * @param audit a provider that gets all refusals
 */
export const rpcGate = (audit: abstract new (...dependencies: never[]) => RefusalAudit): Provider => ({
  provide: RpcGate,
  useFactory: (proofs: ProofReader, metrics: Registry, log: Logger, refusals: RefusalAudit) =>
    new RpcGate(
      proofs,
      refusalCounter(metrics, log, (refusal) => refusals.take(refusal)),
    ),
  inject: [ProofReader, Registry, LOG, audit],
});

/**
 * Verification of keys-service's proofs in another service, as a resource. It provides `FollowedProofs` and `ProofReader`.
 * @param options `missing` is the readiness reason until ended sessions are loaded; absent = ready without them
 */
export const followedProofs = ({ missing }: { readonly missing?: string } = {}): Resource<FollowedProofs> => ({
  name: 'proofs',
  token: FollowedProofs,
  providers: [
    {
      provide: FollowedProofs,
      useFactory: (nats: NatsConnection, { SLIPWAY_ENV: env }: ServiceConfig, log: Logger) => new FollowedProofs({ nats, env, log }),
      inject: [NATS, CONFIG, LOG],
    },
    { provide: ProofReader, useFactory: (followed: FollowedProofs) => followed.reader, inject: [FollowedProofs] },
  ],
  start: (followed) => followed.start(),
  stop: (followed) => followed.stop(),
  notReady: (followed) => (missing === undefined || followed.known ? null : missing),
});
