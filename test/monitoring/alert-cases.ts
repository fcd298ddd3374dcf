/** Samples of a series in promtool's notation, 15 s apart: `0+5x40` = 0, 5, 10 … for 40 more samples. */
type Series = Readonly<Record<string, string>>;

/** When an alert fires, and when it does not. */
export interface AlertCase {
  readonly fires: Series;
  /** Minutes after which it fires, and one alert's labels besides `severity`. */
  readonly after: number;
  readonly labels: Readonly<Record<string, string>>;
  /** A second case that is near and does not fire at the same moment. */
  readonly quiet: Series;
}

const infos = (...services: readonly string[]): Series =>
  Object.fromEntries(services.map((service) => [`slipway_build_info{service="${service}"}`, '1x60']));
const event = (name: string): string => `slipway_gateway_transport_events_total{event="${name}"}`;
const bucket = (name: string, labels: string, le: string): string => `${name}_bucket{${labels},le="${le}"}`;
const FIRST_TOKEN = 'gen_ai_server_time_to_first_token_seconds';

/** By alert. */
export const ALERT_CASES: Readonly<Record<string, AlertCase>> = {
  SlipwayServiceGone: {
    fires: infos('gateway', 'deployments-service'),
    after: 3,
    labels: { service: 'keys-service' },
    quiet: infos('gateway', 'deployments-service', 'keys-service'),
  },
  SlipwayKeyFeedStale: {
    fires: { 'slipway_gateway_feed_age_ms{feed="key"}': '200 5000x20' },
    after: 1,
    labels: { feed: 'key' },
    quiet: { 'slipway_gateway_feed_age_ms{feed="key"}': '2900x20', 'slipway_gateway_feed_age_ms{feed="dep"}': '2900x20' },
  },
  SlipwayDeploymentFeedStale: {
    fires: { 'slipway_gateway_feed_age_ms{feed="dep"}': '5000x20' },
    after: 2,
    labels: { feed: 'dep' },
    quiet: { 'slipway_gateway_feed_age_ms{feed="dep"}': '5000x3 200x20' },
  },
  SlipwayErrors: {
    fires: {
      'slipway_gateway_requests_total{status_class="2xx"}': '0+150x60',
      'slipway_gateway_requests_total{status_class="5xx"}': '0+3x60',
    },
    after: 11,
    labels: {},
    quiet: {
      'slipway_gateway_requests_total{status_class="2xx"}': '0+1500x60',
      'slipway_gateway_requests_total{status_class="4xx"}': '0+1500x60',
      'slipway_gateway_requests_total{status_class="5xx"}': '0+3x60',
    },
  },
  SlipwayNoWorker: {
    fires: { 'slipway_gateway_live_workers{instance="a"}': '0x20', 'slipway_gateway_live_workers{instance="b"}': '0x20' },
    after: 2,
    labels: {},
    quiet: { 'slipway_gateway_live_workers{instance="a"}': '0x20', 'slipway_gateway_live_workers{instance="b"}': '1x20' },
  },
  SlipwayDeploymentWithoutReplica: {
    fires: {
      'slipway_deployment_replicas{deployment="7",state="ready"}': '0x60',
      'slipway_deployment_replicas{deployment="7",state="starting"}': '1x60',
      'slipway_deployment_replicas{deployment="8",state="ready"}': '1x60',
    },
    after: 6,
    labels: { deployment: '7' },
    quiet: { 'slipway_deployment_replicas{deployment="7",state="ready"}': '0x16 1x60' },
  },
  SlipwayRequestsWait: {
    fires: {
      'slipway_deployment_waiting{deployment="7",instance="a"}': '0x20',
      'slipway_deployment_waiting{deployment="7",instance="b"}': '1x20',
    },
    after: 2,
    labels: { deployment: '7' },
    quiet: { 'slipway_deployment_waiting{deployment="7"}': '3x2 0 3x2 0 3 0' },
  },
  SlipwayFirstTokenSlow: {
    fires: {
      [bucket(FIRST_TOKEN, 'deployment="7"', '10')]: '0+90x80',
      [bucket(FIRST_TOKEN, 'deployment="7"', '30')]: '0+100x80',
      [bucket(FIRST_TOKEN, 'deployment="7"', '+Inf')]: '0+100x80',
    },
    after: 16,
    labels: { deployment: '7' },
    quiet: {
      [bucket(FIRST_TOKEN, 'deployment="7"', '10')]: '0+96x80',
      [bucket(FIRST_TOKEN, 'deployment="7"', '30')]: '0+100x80',
      [bucket(FIRST_TOKEN, 'deployment="7"', '+Inf')]: '0+100x80',
    },
  },
  SlipwayModelFails: {
    fires: { slipway_worker_runner_crashes_total: '0x4 1x60' },
    after: 4,
    labels: {},
    quiet: { slipway_worker_runner_crashes_total: '5x60', 'slipway_worker_deployments{state="failed"}': '0x60' },
  },
  SlipwayUsageWaits: {
    fires: { slipway_gateway_usage_records_waiting: '0+100x60' },
    after: 9,
    labels: {},
    quiet: { slipway_gateway_usage_records_waiting: '900x60' },
  },
  SlipwayUsageLost: {
    fires: { 'slipway_gateway_usage_records_total{state="dropped"}': '0x4 1x20' },
    after: 2,
    labels: { state: 'dropped' },
    quiet: {
      'slipway_gateway_usage_records_total{state="dropped"}': '7x20',
      'slipway_gateway_usage_records_total{state="kept"}': '0+9x20',
    },
  },
  SlipwayLedgerBehind: {
    fires: { 'slipway_ledger_lag_seconds{instance="a"}': '0+15x60', 'slipway_ledger_lag_seconds{instance="b"}': '0x60' },
    after: 8,
    labels: {},
    quiet: { slipway_ledger_lag_seconds: '100x60' },
  },
  SlipwayWorkersLost: {
    fires: { [event('lostWorkers')]: '0x4 1x20' },
    after: 2,
    labels: { event: 'lostWorkers' },
    quiet: { [event('lostWorkers')]: '1x20', [event('restarts')]: '0+1x20' },
  },
  SlipwayProtocolViolated: {
    fires: { [event('corrupt')]: '0x4 1x20' },
    after: 2,
    labels: { event: 'corrupt' },
    quiet: { [event('corrupt')]: '1x20', [event('gaps')]: '0+1x20' },
  },
  SlipwayProcessStalls: {
    fires: { 'nodejs_eventloop_lag_p99_seconds{service="gateway"}': '0.5x20' },
    after: 3,
    labels: { service: 'gateway' },
    quiet: { 'nodejs_eventloop_lag_p99_seconds{service="gateway"}': '0.15x20', [event('stalls')]: '3x20' },
  },
  SlipwayInvalidKeys: {
    fires: { 'slipway_gateway_refused_keys_total{code="invalid_api_key"}': '0+200x60' },
    after: 11,
    labels: {},
    quiet: { 'slipway_gateway_refused_keys_total{code="invalid_api_key"}': '0+100x60' },
  },
  SlipwayServiceSlow: {
    fires: {
      [bucket('slipway_rpc_seconds', 'service="keys-service",method="key.list-keys"', '0.5')]: '0+9x60',
      [bucket('slipway_rpc_seconds', 'service="keys-service",method="key.list-keys"', '1')]: '0+10x60',
      [bucket('slipway_rpc_seconds', 'service="keys-service",method="key.list-keys"', '+Inf')]: '0+10x60',
    },
    after: 11,
    labels: { service: 'keys-service' },
    quiet: {
      [bucket('slipway_rpc_seconds', 'service="keys-service",method="key.list-keys"', '0.5')]: '0+10x60',
      [bucket('slipway_rpc_seconds', 'service="keys-service",method="key.list-keys"', '+Inf')]: '0+10x60',
    },
  },
  SlipwayLocksLost: {
    fires: { 'slipway_lock_lost_total{lock="slipway.feed.key"}': '1+1x40' },
    after: 10,
    labels: { lock: 'slipway.feed.key' },
    quiet: { 'slipway_lock_lost_total{lock="slipway.feed.key"}': '3x20 8x20' },
  },
  SlipwayTlsRefused: {
    fires: { 'slipway_nats_tls_refused{connection="gateway",reason="expired"}': '1x20' },
    after: 2,
    labels: { connection: 'gateway', reason: 'expired' },
    quiet: { 'slipway_nats_tls_refused{connection="gateway",reason="expired"}': '1x3 stale _x20' },
  },
  SlipwayCertificateExpires: {
    fires: { 'slipway_nats_certificate_expiry_seconds{file="cert"}': '600000x80' },
    after: 12,
    labels: { file: 'cert' },
    quiet: { 'slipway_nats_certificate_expiry_seconds{file="cert"}': '700000x80' },
  },
};
