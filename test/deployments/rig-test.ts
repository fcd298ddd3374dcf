import { opened, postgresTest } from '../services/rig-test.js';
import { DeploymentsRig } from './rig.js';

/** Tests with a rig of their own each, which may run side by side, on one PostgreSQL server of their file. */
export const rigTest = postgresTest.extend<{ rig: DeploymentsRig }>({ rig: opened((postgres) => DeploymentsRig.open(postgres)) });
