import { EnvironmentName, LOG_LEVELS } from '@slipway/contracts';
import { z } from 'zod';
import { certificateFile } from '../tls/pem-files.js';
import { isHostList } from './host-list.js';

/** Variables of every service. */
export const serviceFragment = {
  /** Name of the environment: part of subjects, the NATS account and database names. */
  SLIPWAY_ENV: EnvironmentName.default('dev'),
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
  /** Port of /livez, /readyz and /metrics; 0 picks a free one. */
  OPS_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  /** Address of the ops port; default: loopback. */
  OPS_HOST: z.string().default('127.0.0.1'),
  /** Longest shutdown, in milliseconds. */
  DRAIN_MS: z.coerce.number().int().min(0).max(3_600_000).default(300_000),
};

/** `host`, `host:port` or an address with one of the schemes that NATS speaks. */
function isServerAddress(text: string): boolean {
  const address = text.trim();
  const [, scheme = 'nats'] = /^([a-z]+):\/\//.exec(address) ?? [];
  if (!['nats', 'tls'].includes(scheme) || /\s/.test(address)) return false;
  const url = address.includes('://') ? address : `${scheme}://${address}`;
  return URL.canParse(url) && new URL(url).hostname !== '';
}

/** Variables of every service that talks over NATS. */
export const natsFragment = {
  /** Server addresses, separated by commas. */
  NATS_URL: z
    .string()
    .refine((text) => text.split(',').every(isServerAddress), 'must be addresses like nats://host:4222, separated by commas')
    .default('nats://127.0.0.1:4222'),
  /** Folder with one credentials file per role: `<role>.creds` or `<role>.json`. */
  NATS_CREDENTIALS_DIR: z.string().optional(),
  /** PEM file of the authorities that sign the servers' certificates; absent = those that Node trusts. */
  NATS_CA: z.string().optional(),
  /** PEM files of a certificate of this process and its key, where the servers ask for one. */
  NATS_CERT: z.string().optional(),
  NATS_KEY: z.string().optional(),
};

/** Variables of every service that sends or fetches bytes at the blob door. */
export const blobDoorFragment = {
  /** PEM file of the authorities that sign the blob door's certificate; absent = those that Node trusts. */
  BLOB_CA: certificateFile.optional(),
};

/** The address of a PostgreSQL server or database. */
export const postgresAddress = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must look like postgres://user:password@host:5432/database',
});

/** Variables of every service with a database. */
export const migrateFragment = {
  /** `start`: the service migrates its database at its start. `never`: it waits until that was done, by `--migrate=apply`. */
  MIGRATE: z.enum(['start', 'never']).default('start'),
};

/** A comma-separated list; empty entries are dropped. */
export const commaList = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  );

/** Hosts for a `HostList`, separated by commas; none by default. */
export const hostList = commaList.refine(isHostList, 'must be hosts, separated by commas: host, host:port or *.domain');
