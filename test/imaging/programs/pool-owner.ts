import { openOddPool, unhurried } from '../odd-pool.ts';

// Says the pid of the process in which a picture is being worked on, and never ends by itself.
const pool = await openOddPool();
process.send?.(await pool.run('pid', undefined, unhurried()));
await pool.run('spin', undefined, unhurried());
