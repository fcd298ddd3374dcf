import { NestFactory } from '@nestjs/core';
import type { INestMicroservice } from '@nestjs/common';
import type { Logger } from '../log/logger.js';
import { NestLogger } from '../log/nest-logger.js';
import { RpcErrorFilter } from './rpc-error.filter.js';
import type { RpcServer } from './rpc-server.js';

type NestModule = Parameters<typeof NestFactory.createMicroservice>[0];

/** Makes a Nest microservice that serves its `@RpcHandler`s on `server`. Signals stay with the process. */
export async function createRpcApplication(module: NestModule, server: RpcServer, log: Logger): Promise<INestMicroservice> {
  const app = await NestFactory.createMicroservice(module, { strategy: server, logger: new NestLogger(log), abortOnError: false });
  app.useGlobalFilters(new RpcErrorFilter());
  return app;
}
