import { endOrphans } from './data-folder.ts';

// What is run when a process has been killed that had children on the data folder given.
await endOrphans(process.argv[2] ?? '');
