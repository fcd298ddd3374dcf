/** Injects this gateway's `Incarnation`, which is part of NATS subjects. */
export const GATEWAY_ID = Symbol('gateway id');
/** Injects the second `NatsConnection`, for large request bodies and usage records, so that tokens do not wait behind them. */
export const BULK = Symbol('bulk NATS connection');
