import { environment, loadConfig } from '../../../config.ts';
import { runMain } from '../../../runtime/run-main.ts';
import { setupBuckets } from '../../../stores/s3/setup.ts';

await runMain(() => setupBuckets(loadConfig(environment()).s3));
