/** Injects the name of this agent, an `Incarnation`. */
export const AGENT_ID = Symbol('agent id');
/** Injects the `RunnerNames`, where runners get their names on NATS from. */
export const RUNNER_NAMES = Symbol('runner names');
