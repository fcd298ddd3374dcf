/** What the agent's module is given from outside: plain values without a class to inject them by. */
export const CONFIG = Symbol('config');
export const LOG = Symbol('log');
export const NATS = Symbol('nats');
export const METRICS = Symbol('metrics');
/** Incarnation of this agent. */
export const AGENT_ID = Symbol('agent id');
/** Where runners get their names on NATS from. */
export const RUNNER_NAMES = Symbol('runner names');
