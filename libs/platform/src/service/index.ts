export { RpcHandler } from '../rpc/rpc-handler.js';
export { runService } from './run-service.js';
export { startService } from './start-service.js';
export type { RunningService, StartOptions } from './start-service.js';
