export { ChangeBudget } from './collections/change-budget.js';
export type { ChangeBudgetOptions } from './collections/change-budget.js';
export { FairPlaces } from './collections/fair-places.js';
export { OpenSet } from './collections/open-set.js';
export { OpenTable } from './collections/open-table.js';
export {
  blobDoorFragment,
  commaList,
  hostList,
  migrateFragment,
  natsFragment,
  postgresAddress,
  serviceFragment,
} from './config/fragments.js';
export { HostList } from './config/host-list.js';
export { ConfigError } from './config/config-error.js';
export { loadConfig } from './config/load-config.js';
export { shownSettings } from './config/shown-settings.js';
export { macOf, parsePeppers, pepperOf } from './config/peppers.js';
export { SLIPWAY_VERSION } from './config/version.js';
export { type ClaimBounds, type ClaimedStream, type ReadClaim, StreamClaims } from './config/stream-claims.js';
export type { Pepper } from './config/peppers.js';
export { ensureValueStore, isTooLarge } from './jetstream/ensure-value-store.js';
export { ConflictError, ValueBucket } from './jetstream/value-bucket.js';
export type { StoredValue } from './jetstream/value-bucket.js';
export { ensureWorkStream } from './jetstream/ensure-work-stream.js';
export type { EnsureOptions } from './jetstream/ensure-work-stream.js';
export { RecordSpool } from './jetstream/record-spool.js';
export type { Gathering, SpoolCounters, SpoolOptions } from './jetstream/record-spool.js';
export { WorkConsumer } from './jetstream/work-consumer.js';
export type { WorkConsumerOptions, WorkItem } from './jetstream/work-consumer.js';
export { readHeldBody } from './http/body-reader.js';
export type { ArrivalRate, BodyBounds, HeldBody } from './http/body-reader.js';
export { ConnectionLimits } from './http/connection-limits.js';
export type { ConnectionBounds } from './http/connection-limits.js';
export { dropBody } from './http/drop-body.js';
export { GatheredBody, tooManyPieces } from './http/gathered-body.js';
export { networkOf, networksOf } from './http/networks.js';
export { securityFragment, securityText } from './http/security-text.js';
export { type Decide, decideBy, type Verdict } from './http/decide-by.js';
export { RateBuckets } from './http/rate-buckets.js';
export type { RateBucketsOptions } from './http/rate-buckets.js';
export { TransferRate } from './http/transfer-rate.js';
export type { RateFloor } from './http/transfer-rate.js';
export { SharedBudget } from './http/shared-budget.js';
export type { BudgetShare } from './http/shared-budget.js';
export { type CutTexts, cutTexts } from './json/cut-texts.js';
export { jsonBytes } from './json/json-bytes.js';
export { createLogger } from './log/logger.js';
export type { Logger } from './log/logger.js';
export { LogThreshold } from './log/log-threshold.js';
export { type CommonRequestFields, RequestLine } from './log/request-line.js';
export { connectNats, roleOf } from './nats/connect.js';
export type { NatsIdentity, NatsOptions } from './nats/connect.js';
export { findTlsTrouble } from './nats/tls/tls-guard.js';
export { natsTlsOf } from './nats/tls/tls-files.js';
export type { NatsTlsConfig, NatsTlsFiles } from './nats/tls/tls-files.js';
export { watchConnection } from './nats/watch-connection.js';
export type { ConnectionEvents } from './nats/watch-connection.js';
export { inParts, messageBytesOf, PartCollector } from './nats/message-parts.js';
export { hasCredentials } from './nats/credentials.js';
export { completeSeeds, newUserKey, roleCredentials, userJwt, workerSigning } from './nats/identities.js';
export type { EnvironmentSeeds, NatsSeeds, UserKey } from './nats/identities.js';
export { readWorkerSigning, WorkerSigning } from './nats/worker-signing.js';
export { isOlder, LEAST_NATS_SERVER, RECOMMENDED_NATS_SERVER } from './nats/server-version.js';
export { renderNatsConf } from './nats/nats-conf.js';
export type { NatsCluster, NatsConfOptions, NatsServerTls } from './nats/nats-conf.js';
export { processMemory } from './process/process-memory.js';
export { gatherReports } from './releases/process-reporter.js';
export type { GatheredReport } from './releases/process-reporter.js';
export { heardOn, noteRelease, releaseHeaders } from './releases/releases.js';
export { allDeployments, allModels, fitting, idOf, type ListCaller, type Page, pageOf } from './rpc/fitting.js';
export { RpcClient, UnansweredError } from './rpc/rpc-client.js';
export type { SilenceReason } from './rpc/rpc-client.js';
export { RpcResponder } from './rpc/rpc-responder.js';
export type { Admission, ArrivedCall, RefusalListener, RpcResponderOptions } from './rpc/rpc-responder.js';
export { BoxKey, BoxSealer, UnreadableBoxError } from './secrets/sealed-box.js';
export { randomToken } from './secrets/random-token.js';
export { SECRET_KEYS, SecretVault, UnreadableSecretError } from './secrets/secret-vault.js';
export { defineService, resource } from './service/service-definition.js';
export type {
  CallGate,
  HttpDoor,
  MigrationSteps,
  NatsLogin,
  PreparedRestore,
  Resource,
  RestoreOrder,
  RpcDoor,
  ServiceConfig,
  ServiceDefinition,
  ServiceSchema,
  Startable,
} from './service/service-definition.js';
export { CONFIG, configured, LOG, NATS, NATS_LOGIN, PROCESS_NAME, Readiness } from './service/injected.js';
export { freeStartGarbage } from './service/heap.js';
export { stepBack } from './threads/step-back.js';
export { ThreadPool } from './threads/thread-pool.js';
export type { ThreadPoolOptions, ThreadTask } from './threads/thread-pool.js';
export type { EndedSpan } from './tracing/span-export.js';
export { tracingFragment, TracingSettings, tracingSettings } from './tracing/tracing-settings.js';
export { Tracing } from './tracing/tracing.js';
export { childOf, newTrace, readTrace, traceHeaders } from './tracing/trace-context.js';
export type { TraceContext, TraceHeaders } from './tracing/trace-context.js';
export { certificateFile, isPair, keyFile } from './tls/pem-files.js';
export { ServedCertificate } from './tls/served-certificate.js';
export type { CertificateFiles, ServedCertificateOptions } from './tls/served-certificate.js';
export { trustingFetch } from './tls/trusting-fetch.js';
export { eachSecond } from './time/each-second.js';
export { overWithin } from './time/over-within.js';
export { Ticker } from './time/ticker.js';
export { LightAbort } from './time/light-abort.js';
export { withinTime } from './time/within-time.js';
export { headers, nuid } from '@nats-io/transport-node';
export type { Msg, MsgHdrs, NatsConnection, Subscription } from '@nats-io/transport-node';
