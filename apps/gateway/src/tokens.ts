/** Injects the name of this process start, an `Incarnation`: subjects hold it. */
export const GATEWAY_ID = Symbol('gateway id');
/** Injects the second `NatsConnection`: large request bodies and records of usage travel there, so that no token waits for them. */
export const BULK = Symbol('bulk NATS connection');
/** Injects the `RelayTimes`. */
export const TIMES = Symbol('relay times');
