import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger.js';

const text = (message: unknown): string => (message instanceof Error ? message.message : String(message));

/** Sends what Nest itself logs to the service's logger; its start-up chatter becomes debug. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...details: unknown[]): void {
    this.logger.debug({ details }, text(message));
  }

  error(message: unknown, ...details: unknown[]): void {
    this.logger.error({ err: message instanceof Error ? message : undefined, details }, text(message));
  }

  warn(message: unknown, ...details: unknown[]): void {
    this.logger.warn({ details }, text(message));
  }
}
