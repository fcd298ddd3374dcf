// `npm run notices` writes THIRD_PARTY_NOTICES.md; `npm run notices -- --sbom FILE` writes a bill of materials besides.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { billOfMaterials, noticesPage, thirdParties } from './lib/third-parties.mjs';

const { values } = parseArgs({ options: { sbom: { type: 'string' } } });
const parties = thirdParties();
const page = fileURLToPath(new URL('../THIRD_PARTY_NOTICES.md', import.meta.url));
writeFileSync(page, noticesPage(parties));
console.log(`THIRD_PARTY_NOTICES.md: ${parties.length} third parties.`);
if (values.sbom !== undefined) {
  writeFileSync(values.sbom, `${JSON.stringify(billOfMaterials(parties), null, 2)}\n`);
  console.log(`${values.sbom}: CycloneDX 1.6.`);
}
