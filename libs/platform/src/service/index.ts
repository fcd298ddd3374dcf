export { letHeapDouble } from './heap.js';
export { RpcHandler } from '../rpc/rpc-server.js';
export { runService, runServices } from './run-service.js';
export type { ServiceToRun } from './run-service.js';
export { startService } from './start-service.js';
export type { RunningService, StartOptions } from './start-service.js';
