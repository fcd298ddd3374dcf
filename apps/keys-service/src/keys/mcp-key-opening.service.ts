import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { keyKindOf, type McpScope, ServiceError } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { KeyProofs } from '../identity/key-proofs.service.js';
import { GatheredLookups } from './gathered-lookups.js';
import { KeyMint } from '../shared/key-minting.js';
import { McpKeyOpeningRepository, type OpeningKey } from './mcp-key-opening.repository.js';

/** Tells what an MCP key opens, and signs the proof of it. */
@Injectable()
export class McpKeyOpening {
  readonly #lookups = new GatheredLookups((macs) => this.transactions.read((connection) => this.keys.find(connection, macs)));

  constructor(
    private readonly transactions: Transactions,
    private readonly keys: McpKeyOpeningRepository,
    private readonly mint: KeyMint,
    private readonly proofs: KeyProofs,
  ) {}

  /** @throws ServiceError `invalid_api_key`, the same for every key that opens nothing */
  async open(value: string, scope: McpScope): Promise<Omit<OpeningKey, 'mac'> & { readonly proof: string }> {
    if (keyKindOf(value) !== 'mcp') throw opensNothing();
    const macs = this.mint.macsOf(value);
    const found = await this.#lookups.find(macs);
    if (!found || !macs.some((mac) => timingSafeEqual(mac, found.mac))) throw opensNothing();
    const { mac: _mac, ...opened } = found;
    return { ...opened, proof: await this.proofs.sign({ ...opened, scope }) };
  }
}

const opensNothing = (): ServiceError =>
  new ServiceError(
    'invalid_api_key',
    'This MCP key is not valid. It may have been rotated: copy the current one from the API Keys screen.',
  );
