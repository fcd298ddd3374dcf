import { Injectable } from '@nestjs/common';
import { logLineFilter, ReadAgentLog } from '@slipway/contracts';
import { AgentRpc } from './agent-rpc.js';
import { LogBook } from './log-book.js';

/** Answers questions for engine logs on this agent's own subject. */
@Injectable()
export class AgentLogService {
  constructor(
    private readonly rpc: AgentRpc,
    private readonly book: LogBook,
  ) {}

  start(): void {
    this.rpc.serve(ReadAgentLog, (request) => Promise.resolve(this.#answer(request)));
  }

  #answer(request: unknown): { lines: ReturnType<LogBook['newest']> } {
    const { dep, lines, after, ...filter } = ReadAgentLog.request.parse(request);
    return { lines: this.book.newest(dep, lines, { after, isWanted: logLineFilter(filter) }) };
  }
}
