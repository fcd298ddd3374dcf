import { expect, it } from 'vitest';
import { createMetrics } from './metrics.js';

it('says the release and the process’s own figures at each scrape', async () => {
  const metrics = createMetrics('test-service');
  for (const text of [await metrics.metrics(), await metrics.metrics()]) {
    expect(text).toMatch(/^slipway_build_info\{version="\d+\.\d+\.\d+",protocol="1\.0",service="test-service"\} 1$/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds\{service="test-service"\} /m);
  }
});
