export { freePorts } from './free-ports.js';
export { TestNatsServer, findNatsServer, routesStand, startNatsCluster } from './nats-server.js';
export type { TestNatsCluster, TestNatsOptions } from './nats-server.js';
export { TcpGate } from './tcp-gate.js';
export { startTestPostgres } from './postgres.js';
export type { TestPostgres } from './postgres.js';
export { ScriptedUpstream, chatChunk, chatStream, jsonAnswer, modelList, sseEvent, usageChunk } from './scripted-upstream.js';
export type { UpstreamAnswer, UpstreamRequest, UpstreamScript, UpstreamStep } from './scripted-upstream.js';
