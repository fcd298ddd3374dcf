import { fileURLToPath } from 'node:url';
import { Module } from '@nestjs/common';
import { configured } from '@slipway/platform';
import type { ConsoleConfig } from '../config.js';
import { DashboardFiles } from './dashboard-files.js';
import { DashboardController } from './dashboard.controller.js';

/** Both apps lie side by side, in the repository and in the image. */
const BUILT_DASHBOARD = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url));

@Module({
  controllers: [DashboardController],
  providers: [configured(DashboardFiles, ({ DASHBOARD_DIR: folder = BUILT_DASHBOARD }: ConsoleConfig) => DashboardFiles.load(folder))],
})
export class DashboardModule {}
