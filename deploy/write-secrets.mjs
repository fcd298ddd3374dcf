// Makes what the composed services keep secret, their certificates and the configuration of the NATS nodes, in one folder:
//
//   node deploy/write-secrets.mjs FOLDER [VOLUME …]
//
// One folder in it for each kind of container, so that none sees the secrets of another. Secrets that
// exist stay; what is derived from them is written anew, so that the permissions of the NATS users
// follow the contracts of the running version. Certificates stay for a year. As root it hands everything, VOLUMEs included, to the
// users under which the containers run.
import { EnvironmentName } from '@slipway/contracts';
import { writeSecretFolder } from './secret-folder.mjs';

const [folder, ...volumes] = process.argv.slice(2);
const env = EnvironmentName.safeParse(process.env.SLIPWAY_ENV || 'dev');
if (!folder || !env.success) {
  console.error(folder ? 'SLIPWAY_ENV must be a lower-case name of at most 16 letters, digits and hyphens.' : 'Name a folder.');
  process.exit(2);
}
try {
  await writeSecretFolder(folder, env.data, volumes);
  console.log(`The secrets of the environment "${env.data}" are in ${folder}.`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
