import { openOddPool, unhurried } from '../odd-pool.ts';

// Sends the pid of its busy image process, and never ends by itself.
const pool = await openOddPool();
process.send?.(await pool.run('pid', undefined, unhurried()));
await pool.run('spin', undefined, unhurried());
