import { EnvironmentName } from '@slipway/contracts';
import { z } from 'zod';

/** Variables of the command line. Without NATS_URL the data folder of `npm start` says where everything is. */
export const Config = z.object({
  /** Addresses of the NATS servers, separated by commas. */
  NATS_URL: z.string().min(1).optional(),
  /** Folder with the credentials of the user `ops`. */
  NATS_CREDENTIALS_DIR: z.string().optional(),
  /** PEM files for TLS with the NATS servers. */
  NATS_CA: z.string().optional(),
  NATS_CERT: z.string().optional(),
  NATS_KEY: z.string().optional(),
  SLIPWAY_ENV: EnvironmentName.optional(),
});
export type Config = z.output<typeof Config>;
