import { environment, loadConfig } from '../../../../lib/process/config/config.ts';
import { runMain } from '../../../../lib/process/run-main.ts';
import { setupBuckets } from '../../../../lib/stores/s3/setup.ts';

await runMain(() => setupBuckets(loadConfig(environment()).s3));
