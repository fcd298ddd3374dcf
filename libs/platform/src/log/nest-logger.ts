import type { LoggerService } from '@nestjs/common';
import { ConfigError } from '../config/config-error.js';
import type { Logger } from './logger.js';

const text = (message: unknown): string => (message instanceof Error ? message.message : String(message));

/**
 * Sends what Nest itself logs to the service's logger; what it says of its start becomes debug. Nest has one logger for the
 * whole process: with several services in it, the one that started last gets these lines.
 */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...details: unknown[]): void {
    this.logger.debug({ details }, text(message));
  }

  error(message: unknown, ...details: unknown[]): void {
    // Whoever started the service reports it, without a stack.
    if (message instanceof ConfigError) return;
    this.logger.error({ err: message instanceof Error ? message : undefined, details }, text(message));
  }

  warn(message: unknown, ...details: unknown[]): void {
    this.logger.warn({ details }, text(message));
  }
}
